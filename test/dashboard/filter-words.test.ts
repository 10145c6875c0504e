/** What is typed into a filter: the field that it names, its value, and what the menu offers for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type FilterField,
  SEARCH_FIELD,
  splitToken,
  TIME_FIELD,
} from "../../dashboard/src/parts/filter-fields.ts";
import { dashboardModule } from "../support/dashboard-modules.ts";

interface Row {
  readonly text: string;
  readonly count?: number;
  readonly isWhole: boolean;
}

const { menuRows } = await dashboardModule<{
  menuRows: (text: string, fields: readonly FilterField[]) => Row[];
}>("parts/filter-menu.tsx");

const LABELS = [{ value: "Mail", count: 2 }, { value: "email" }, { value: "shop" }];
const FIELDS: readonly FilterField[] = [
  SEARCH_FIELD,
  { name: "label", suggest: () => LABELS },
  { name: "error" },
  TIME_FIELD,
];

test("a word before a colon or a blank names a field, and everything after it is the value", () => {
  const cases: readonly (readonly [string, string | null, string])[] = [
    ["label:mail", "label", "mail"],
    ["label: mail shop", "label", "mail shop"],
    ["Label mail", "label", "mail"],
    ["url:x", null, "url:x"],
    ["error:url: refused", "error", "url: refused"],
    ["since:1h", "time", "1h"],
    ["time:1h", "time", "1h"],
    ["text:two words", "q", "two words"],
    ["two words", null, "two words"],
    ["label", null, "label"],
    ["label:", null, "label:"],
    ["a label:mail", null, "a label:mail"],
  ];
  for (const [text, name, value] of cases) {
    assert.deepEqual(splitToken(text, FIELDS), { name, value }, text);
  }
});

test("the menu has the fields that begin with the word, and not those that are not typed", () => {
  const texts = (typed: string) => menuRows(typed, FIELDS).map(({ text }) => text);
  assert.deepEqual(texts(""), ["label:", "error:", "since:"]);
  assert.deepEqual([texts(" L"), texts("abel"), texts("none:x")], [["label:"], [], []]);
  assert.ok(menuRows("", FIELDS).every(({ isWhole }) => !isWhole));
});

test("behind a field the menu has its values that hold the text, in their order", () => {
  const whole = { isWhole: true };
  const mail = { text: "label:Mail", count: 2, ...whole };
  const email = { text: "label:email", count: undefined, ...whole };
  assert.deepEqual(menuRows("label:MAIL", FIELDS), [mail, email]);
  assert.deepEqual(menuRows("label: ma", FIELDS), [mail, email]);
  assert.equal(menuRows("label:", FIELDS).length, 3);
  assert.deepEqual(menuRows("error:", FIELDS), []);
  assert.deepEqual(
    menuRows("since:", FIELDS).map(({ text }) => text),
    ["since:1h", "since:24h", "since:7d"],
  );
});
