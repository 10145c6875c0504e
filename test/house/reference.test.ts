import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { referencePages } from "./reference-pages.ts";

const FOLDER = new URL("../../docs/reference/", import.meta.url);

test("every reference page is the table of the code", () => {
  const pages = referencePages();
  assert.ok(pages.size > 0);
  for (const [name, text] of pages) {
    assert.equal(readFileSync(new URL(name, FOLDER), "utf8"), text, `run \`npm run reference\``);
  }
});

test("no reference page is left that no table stands behind", () => {
  const known = new Set(referencePages().keys());
  assert.deepEqual(
    readdirSync(FOLDER).filter((name) => !known.has(name)),
    [],
  );
});
