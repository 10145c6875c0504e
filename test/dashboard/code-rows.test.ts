/** How bodies are laid out: whatever they hold, in rows of limited length. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  codeRows,
  type CodeRows,
  ROW_CHARACTERS_MAX,
  ROWS_MAX,
} from "../../dashboard/src/parts/code-rows.ts";
import { rowTokens } from "../../dashboard/src/parts/json-tokens.ts";

function shown(rows: CodeRows): string {
  const lines = Array.from({ length: rows.count }, (_, row) =>
    rowTokens(rows, row)
      .map(({ text }) => text)
      .join(""),
  );
  return lines.join("\n");
}

test("JSON keeps what was sent: big numbers, repeated keys, empty things, escaped quotes", () => {
  const text = ` {"n":12345678901234567890, "n" : 1,"e":{ },"l":[\n],"s":"a:{b,c}\\"]","d":[[1,-2e3],[true,null]]}\n`;
  const rows = codeRows(text, false);
  assert.equal(
    shown(rows),
    `{
  "n": 12345678901234567890,
  "n": 1,
  "e": {},
  "l": [],
  "s": "a:{b,c}\\"]",
  "d": [
    [
      1,
      -2e3
    ],
    [
      true,
      null
    ]
  ]
}`,
  );
  const colors = Array.from({ length: rows.count }, (_, row) =>
    rowTokens(rows, row).map(({ kind }) => kind),
  );
  assert.deepEqual(colors[1], ["", "k", "", "n", ""]);
  assert.deepEqual(colors[5], ["", "k", "", "s", ""]);
});

test("JSON that is already laid out stays as it is", () => {
  const text = JSON.stringify({ a: [{ b: 1 }, "two", [], {}], c: { d: null } }, null, 2);
  assert.equal(shown(codeRows(text, false)), text);
});

for (const text of ["no json", '{"a":1', "two\nlines\n", ""]) {
  test(`what is not JSON is shown as it is: ${JSON.stringify(text)}`, () => {
    const rows = codeRows(text, false);
    assert.equal(rows.isJson, false);
    assert.equal(shown(rows), text);
  });
}

test("a long line continues in the next row, and no character is cut in two", () => {
  const line = `${"a".repeat(ROW_CHARACTERS_MAX - 1)}\u{1f600}b`;
  const text = codeRows(line, true);
  assert.equal(shown(text), `${"a".repeat(ROW_CHARACTERS_MAX - 1)}\n\u{1f600}b`);
  const value = `{"k":"${line}"}`;
  const rows = codeRows(value, false);
  assert.equal(rows.count, 4);
  assert.equal(shown(rows).replaceAll(/\n\s*/g, "").replace(": ", ":"), value);
  assert.equal(rowTokens(rows, 2)[0]!.kind, "s");
});

test("space between parts that is longer than a row makes no line break", () => {
  const rows = codeRows(`{"k":${"\n".repeat(ROW_CHARACTERS_MAX * 2)}1}`, false);
  for (let row = 0; row < rows.count; row += 1) {
    assert.ok(rowTokens(rows, row).every((token) => !token.text.includes("\n")));
  }
});

test("JSON with more members than a browser can draw is shown as it was sent", () => {
  const text = `[${"1,".repeat(ROWS_MAX)}1]`;
  const rows = codeRows(text, false);
  assert.equal(rows.isJson, false);
  assert.equal(rows.count, Math.ceil(text.length / ROW_CHARACTERS_MAX));
});
