import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import type { Edit } from "../mutants/mutant.ts";
import { editedFile } from "../mutants/edited-file.ts";
import { PLANTED } from "../mutants/planted.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("every defect that is planted is found in the code once, and suites to notice it", () => {
  assert.ok(PLANTED.length >= 10);
  const problems = PLANTED.flatMap(({ name, edits, suites }) => {
    assert.ok(edits.length > 0 && suites.length > 0, name);
    const missing = suites.filter((suite) => !existsSync(ROOT + suite));
    return [...edits.flatMap(misplaced), ...missing].map((problem) => `${name}: ${problem}`);
  });
  assert.deepEqual(problems, []);
});

function misplaced(edit: Edit): string[] {
  try {
    editedFile(`${ROOT}src`, edit);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
