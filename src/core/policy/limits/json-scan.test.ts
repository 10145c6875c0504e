import assert from "node:assert/strict";
import { test } from "node:test";
import {
  afterBlanks,
  JSON_LIMITS,
  type JsonExcess,
  type JsonExtent,
  measureJson,
} from "./json-scan.ts";

function measured(text: string, start = 0, limits = JSON_LIMITS): JsonExtent | JsonExcess {
  return measureJson(new TextEncoder().encode(text), start, limits);
}

const found = (end: number): JsonExtent => ({ end });

test("a value ends where the document, or what it stands in, goes on", () => {
  assert.deepEqual(measured("12"), found(2));
  assert.deepEqual(measured("[1,2]", 1), found(2));
  assert.deepEqual(measured("[1,2]", 3), found(4));
  assert.deepEqual(measured("[[1,[2]],3]", 1), found(8));
  assert.deepEqual(measured('[{"a":","},3]', 1), found(10));
  assert.deepEqual(measured('["a'), found(3));
});

test("what stands in strings is no structure", () => {
  const text = JSON.stringify({ a: '[{,"\\'.repeat(100), b: "\\" });
  const limits = { ...JSON_LIMITS, depthMax: 1, membersMax: 2 };
  assert.deepEqual(measured(text, 0, limits), found(text.length));
});

test("members and elements are counted at all depths", () => {
  const limits = { ...JSON_LIMITS, membersMax: 4 };
  assert.notEqual(measured('{"a":[1,2],"b":3}', 0, limits), "many");
  assert.equal(measured('{"a":[1,2],"b":3,"c":4}', 0, limits), "many");
  assert.equal(measured('{"a":[1,2],"b":[3]}', 0, limits), "many");
  assert.equal(measured("[[],[],[]", 0, limits), "many");
});

test("levels are counted", () => {
  const limits = { ...JSON_LIMITS, depthMax: 2 };
  assert.notEqual(measured("[[1]]", 0, limits), "deep");
  assert.equal(measured("[[[1]]]", 0, limits), "deep");
  assert.notEqual(measured("[[1],[1]]", 0, limits), "deep");
});

test("bytes are counted without the longest string", () => {
  const limits = { ...JSON_LIMITS, bytesMax: 10 };
  const long = "x".repeat(100);
  assert.deepEqual(measured(`["${long}",1234]`, 0, limits), found(109));
  assert.equal(measured(`["${long}",12345678]`, 0, limits), "large");
  assert.equal(measured(`["${long}","${long}"]`, 0, limits), "large");
  assert.equal(measured(`["a"${" ".repeat(100)}]`, 0, limits), "large");
  assert.equal(measured(" ".repeat(100), 0, limits), "large");
});

test("blanks are passed by, but not without end", () => {
  const json = new TextEncoder().encode(` \n\t\r[${" ".repeat(1_000_000)}]`);
  assert.equal(afterBlanks(json, 0), 4);
  assert.ok(afterBlanks(json, 5) < 100_000);
});
