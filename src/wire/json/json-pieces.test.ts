import assert from "node:assert/strict";
import { test } from "node:test";

import { jsonPieces } from "./json-pieces.ts";

const DOCUMENT = {
  cursor: undefined,
  none: null,
  text: 'Grüße, "quoted" \u0001',
  runs: [{ steps: [[1, [2.5, [{ deep: [{ deeper: [true, undefined] }] }]]], {}, []] }, []],
};

test("a document is the same in pieces, however small they are", () => {
  for (const length of [1, 7, 64 * 1024]) {
    assert.equal([...jsonPieces(DOCUMENT, length)].join(""), JSON.stringify(DOCUMENT));
  }
});

test("a long list is never one text", () => {
  const steps = Array.from({ length: 1_000 }, (_, step) => ({ step, out: "x".repeat(1_000) }));
  const pieces = [...jsonPieces({ runs: [{ steps }] }, 10_000)];
  assert.ok(pieces.length > 50);
  assert.ok(pieces.every(({ length }) => length < 12_000));
});

test("what lies deeper than the lists of a response is one text", () => {
  assert.ok([...jsonPieces([[[[[[[[1, 2]]]]]]]], 1)].includes("[1,2]"));
  assert.ok(![...jsonPieces([[[[[[[1, 2]]]]]]], 1)].includes("[1,2]"));
});

test("a piece has about 64 KiB", () => {
  const items = Array.from({ length: 100 }, () => "x".repeat(10_000));
  const lengths = [...jsonPieces(items)].map(({ length }) => length);
  assert.ok(lengths.slice(0, -1).every((length) => length >= 65_536 && length < 76_000));
  assert.ok(lengths.length > 10);
});

test("what JSON does not know is null", () => {
  assert.equal([...jsonPieces([undefined, () => 0])].join(""), "[null,null]");
});
