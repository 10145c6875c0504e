import assert from "node:assert/strict";
import { test } from "node:test";
import { JSON_LIMITS, type JsonExcess, type JsonExtent, measureJson } from "./json-scan.ts";

function measured(text: string, start = 0, limits = JSON_LIMITS): JsonExtent | JsonExcess {
  return measureJson(new TextEncoder().encode(text), start, limits);
}

const found = (end: number, longestTextBytes = 0): JsonExtent => ({ end, longestTextBytes });

test("a value ends where the document, or what it stands in, goes on", () => {
  assert.deepEqual(measured("12"), found(2));
  assert.deepEqual(measured("[1,2]", 1), found(2));
  assert.deepEqual(measured("[1,2]", 3), found(4));
  assert.deepEqual(measured("[[1,[2]],3]", 1), found(8));
  assert.deepEqual(measured('[{"a":","},3]', 1), found(10, 2));
  assert.deepEqual(measured('["a'), found(3, 2));
});

test("what stands in strings is no structure", () => {
  const text = JSON.stringify({ a: '[{,"\\'.repeat(100), b: "\\" });
  const { depthMax, membersMax } = { depthMax: 1, membersMax: 2 };
  assert.deepEqual(
    measured(text, 0, { depthMax, membersMax }),
    found(text.length, JSON.stringify('[{,"\\'.repeat(100)).length - 1),
  );
});

test("members and elements are counted at all depths", () => {
  const limits = { depthMax: 10, membersMax: 4 };
  assert.notEqual(measured('{"a":[1,2],"b":3}', 0, limits), "many");
  assert.equal(measured('{"a":[1,2],"b":3,"c":4}', 0, limits), "many");
  assert.equal(measured('{"a":[1,2],"b":[3]}', 0, limits), "many");
  assert.equal(measured("[[],[],[]", 0, limits), "many");
});

test("levels are counted", () => {
  const limits = { depthMax: 2, membersMax: 10 };
  assert.notEqual(measured("[[1]]", 0, limits), "deep");
  assert.equal(measured("[[[1]]]", 0, limits), "deep");
  assert.notEqual(measured("[[1],[1]]", 0, limits), "deep");
});
