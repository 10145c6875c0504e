import assert from "node:assert/strict";
import { test } from "node:test";

import { SECTIONS } from "./specification.ts";

export type RowCase = () => void | Promise<void>;

/** One test for each row of a section: a row without one, or one without a row, fails. */
export function rowTests(number: string, title: string, cases: Readonly<Record<string, RowCase>>) {
  const section = SECTIONS.find((each) => each.number === number && each.title === title);
  test(`${number} has a test for each row`, () => {
    assert.deepEqual(Object.keys(cases), section?.rows);
  });
  for (const [row, body] of Object.entries(cases)) test(rowName(number, row), body);
}

export const rowName = (number: string, row: string): string => `${number} ${row}`;
