import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { ROOT } from "../house/sources.ts";
import { ROW_MUTANTS } from "../mutants/row-mutants.ts";
import { rowName } from "./row-tests.ts";
import { SECTIONS } from "./specification.ts";

test("every section has a file that tests its rows one by one", () => {
  const missing = SECTIONS.filter(({ number, title, file }) => {
    const path = join(ROOT, file);
    return !existsSync(path) || !readFileSync(path, "utf8").includes(call(number, title));
  });
  assert.deepEqual(missing, []);
});

test("a defect is planted for one row in ten", () => {
  const names = new Set(
    SECTIONS.flatMap(({ number, rows, file }) =>
      rows.map((row) => `${file} ${rowName(number, row)}`),
    ),
  );
  const planted = new Set(ROW_MUTANTS.map(({ suites, row }) => `${suites[0]} ${row}`));
  assert.deepEqual(
    [...planted].filter((name) => !names.has(name)),
    [],
  );
  assert.ok(planted.size >= names.size / 10, `${planted.size} of ${names.size}`);
});

const call = (number: string, title: string): string => `rowTests("${number}", "${title}"`;
