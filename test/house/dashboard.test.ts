/** The dashboard stands apart: its folders, what it may import, and what a browser may be made to do. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { edgesOf, importsIn, readSources, ROOT } from "./sources.ts";

/**
 * Its floors, ground first, as ARCHITECTURE.md draws them. A folder imports from the floors below its own only, so a
 * feature knows another only where that one lies deeper.
 */
const FLOORS = [
  ["answers"],
  ["app"],
  ["parts"],
  ["shell"],
  ["message"],
  ["workflow", "schedule", "line", "url-group", "account", "reference"],
  ["overview", "dead-letter"],
  ["screens.ts"],
  ["main.tsx"],
];
const PACKAGES = ["preact", "preact/hooks", "@preact/signals", "uplot"];
/** Types alone: nothing of it is in the page. */
const SDK_TYPES = /^sdk\/src\/answers\//;
/** What makes markup or code of a text, or needs a laxer policy than the page has. */
const FORBIDDEN =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|eval|new Function)\b|\sstyle=/;

/** `dashboard/src/message/message-row.ts` */
const DEPTH_MAX = 4;

const files = readSources("dashboard/src/**/*.{ts,tsx}");

test("every file stands in a folder that has a floor, and no folder is divided", () => {
  assert.ok(files.length > 0);
  const unplanned = files.filter(
    ({ path }) => floorOf(path) === -1 || path.split("/").length > DEPTH_MAX,
  );
  assert.deepEqual(
    unplanned.map(({ path }) => path),
    [],
  );
});

test("imports go down", () => {
  const own = edgesOf(files).filter(({ to }) => to.startsWith("dashboard/src/"));
  assert.ok(own.length > 0);
  const wrong = own.filter(
    ({ from, to }) => folderOf(from) !== folderOf(to) && floorOf(to) >= floorOf(from),
  );
  assert.deepEqual(wrong, []);
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

test("a style stands beside what it styles, and is part of the page once", () => {
  const styles = globSync("dashboard/src/*/*.css", { cwd: ROOT }).toSorted();
  const beside = styles.filter((path) => !path.startsWith("dashboard/src/style/"));
  assert.ok(beside.length > 0);
  const alone = beside.filter(
    (path) =>
      basename(path, ".css") !== folderOf(path) &&
      !existsSync(join(ROOT, path.replace(/css$/, "tsx"))),
  );
  assert.deepEqual(alone, []);
  const all = "dashboard/src/style/all.css";
  const named = readFileSync(join(ROOT, all), "utf8").matchAll(/@import "([^"]+)"/g);
  const imported = [...named].map(([, path]) => join(dirname(all), path!));
  assert.deepEqual([...imported, all].toSorted(), styles);
});

test("colors are named in the tokens alone", () => {
  const raw = globSync("dashboard/src/*/*.css", { cwd: ROOT })
    .filter((path) => !path.endsWith("/tokens.css"))
    .filter((path) =>
      /#[0-9a-f]{3,8}\b|\b(rgb|hsl)a?\(/i.test(readFileSync(join(ROOT, path), "utf8")),
    );
  assert.deepEqual(raw, []);
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

function folderOf(path: string): string {
  return path.slice("dashboard/src/".length).split("/")[0]!;
}

function floorOf(path: string): number {
  return FLOORS.findIndex((folders) => folders.includes(folderOf(path)));
}
