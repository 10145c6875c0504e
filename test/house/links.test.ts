import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { anchorsOf, linksOf, readPages, withoutCode } from "./markdown.ts";
import { readSources, ROOT } from "./sources.ts";

const pages = readPages("*.md", "sdk/*.md", "docs/**/*.md");
const links = pages.flatMap(linksOf);

test("every link in a page leads to a file", () => {
  assert.ok(links.length > 50);
  const dead = links.filter(({ path }) => !existsSync(join(ROOT, path)));
  assert.deepEqual(
    dead.map(({ page, written }) => `${page}: ${written}`),
    [],
  );
});

test("every link to a heading finds it", () => {
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));
  const named = links.filter(({ anchor }) => anchor !== "");
  assert.ok(named.length > 0);
  const dead = named.filter(({ path, anchor }) => anchors.get(path)?.has(anchor) !== true);
  assert.deepEqual(
    dead.map(({ page, written }) => `${page}: ${written}`),
    [],
  );
});

test("every page of docs that code or prose names exists", () => {
  const code = readSources("{src,test,sdk}/**/*.ts", "scripts/*.mjs");
  const named = [...code, ...pages].flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w./])docs\/[\w./-]*\w/g)].map(([name]) => ({ path, name })),
  );
  assert.ok(named.length > 10);
  const missing = named.filter(({ name }) => !existsSync(join(ROOT, name)));
  assert.deepEqual(
    missing.map(({ path, name }) => `${path}: ${name}`),
    [],
  );
});

test("no page hides a word as if it were HTML", () => {
  const hidden = pages.flatMap(({ path, text }) =>
    [...withoutCode(text).matchAll(/<(?!!--|br>)[a-z/][^>\n]*>/gi)].map(
      ([tag]) => `${path}: ${tag}`,
    ),
  );
  assert.deepEqual(hidden, []);
});

test("a heading is named as GitHub names it", () => {
  const text =
    "# One `two`: [three](four.md)\n\n## Again\n\n```sh\n# not a heading\n```\n\n## Again\n";
  assert.deepEqual([...anchorsOf(text)], ["one-two-three", "again", "again-1"]);
});
