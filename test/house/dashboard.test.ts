/** The dashboard stands apart: its folders, what it may import, and what a browser may be made to do. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { edgesOf, importsIn, readSources } from "./sources.ts";

/** `app` starts it, `shell` surrounds the screens, `parts` are used by them, `answers` are types; the rest are features, as on the server. */
const FOLDERS = [
  "answers",
  "app",
  "shell",
  "parts",
  "style",
  "overview",
  "message",
  "dead-letter",
  "workflow",
  "schedule",
  "line",
  "url-group",
  "account",
  "reference",
];
const PACKAGES = ["preact", "preact/hooks", "@preact/signals", "uplot"];
/** Types alone: nothing of it is in the page. */
const SDK_TYPES = /^sdk\/src\/answers\//;
/** What makes markup or code of a text, or needs a laxer policy than the page has. */
const FORBIDDEN =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|eval|new Function)\b|\sstyle=/;

const files = readSources("dashboard/src/**/*.{ts,tsx}");

test("its folders are planned, and not divided", () => {
  assert.ok(files.length > 0);
  const folders = new Set(files.map(({ path }) => dirname(path).replace(/^dashboard\/src\/?/, "")));
  const unplanned = [...folders].filter((folder) => folder !== "" && !FOLDERS.includes(folder));
  assert.deepEqual(unplanned, []);
});

test("it imports nothing but itself, four packages, and types of answers that the SDK has", () => {
  const leaving = edgesOf(files).filter(({ to }) => !to.startsWith("dashboard/src/"));
  assert.deepEqual(
    leaving.filter(({ to }) => !SDK_TYPES.test(to)),
    [],
  );
  const packages = files.flatMap(({ path, imports }) =>
    imports
      .filter((name) => !name.startsWith(".") && !PACKAGES.includes(name))
      .map((name) => `${path} -> ${name}`),
  );
  assert.deepEqual(packages, []);
  assert.deepEqual(importsIn('import { h } from "preact";'), ["preact"]);
});

test("no file imports itself through others", () => {
  const edges = edgesOf(files);
  const circles = files
    .map(({ path }) => path)
    .filter((path) => {
      const reached = new Set([path]);
      for (const each of reached) {
        for (const { from, to } of edges) {
          if (from !== each) continue;
          if (to === path) return true;
          reached.add(to);
        }
      }
      return false;
    });
  assert.deepEqual(circles, []);
});

test("parts know no screen", () => {
  const wrong = edgesOf(files).filter(
    ({ from, to }) =>
      from.startsWith("dashboard/src/parts/") &&
      !/^(dashboard\/src\/(parts|app|answers)|sdk\/src\/answers)\//.test(to),
  );
  assert.deepEqual(wrong, []);
});

test("texts stay texts, and no markup carries a style", () => {
  assert.match("element.innerHTML = text", FORBIDDEN);
  const wrong = files.filter(({ code }) => FORBIDDEN.test(code)).map(({ path }) => path);
  assert.deepEqual(wrong, []);
});

test("the server does not import the dashboard", () => {
  const server = readSources("{src,sdk/src}/**/*.ts");
  const wrong = edgesOf(server).filter(({ to }) => to.startsWith("dashboard/"));
  assert.deepEqual(wrong, []);
});

test("every test in a browser can run on every store", () => {
  const tests = readSources("test/browser/*.test.ts");
  assert.ok(tests.length > 0);
  const apart = tests
    .filter(({ text }) => !text.includes("browserJourneys(") || /\bTestService\.start\(/.test(text))
    .map(({ path }) => path);
  assert.deepEqual(apart, []);
});
