import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { placeOf } from "../mutants/place.ts";
import { PLANTED } from "../mutants/planted.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("every defect that is planted has its place in the code, and suites to notice it", () => {
  assert.ok(PLANTED.length >= 10);
  for (const { name, edits, suites } of PLANTED) {
    assert.ok(edits.length > 0 && suites.length > 0, name);
    for (const edit of edits) assert.doesNotThrow(() => placeOf(`${ROOT}src`, edit), name);
    for (const suite of suites) assert.ok(existsSync(ROOT + suite), `${name}: ${suite}`);
  }
});
