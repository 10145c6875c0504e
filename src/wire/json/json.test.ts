import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonElements, readJson, requireMembers } from "./json.ts";

const elements = (text: string, bytesMax = 1_000): unknown[] => [
  ...jsonElements(new TextEncoder().encode(text), bytesMax),
];

test("the elements of an array are read one by one", () => {
  assert.deepEqual(elements("[]"), []);
  assert.deepEqual(elements(" [ ] "), []);
  assert.deepEqual(elements(' [1 , {"a":[2,"]"]},null] '), [1, { a: [2, "]"] }, null]);
});

test("what is no array is refused", () => {
  for (const text of ["", "1", "x1]", "{1]", "[1", "[1}", "[1]x", "[1]]", '{"a":1}', "[1;2]"]) {
    assert.throws(() => elements(text), /body/, text);
  }
});

const parsed = (text: string, bytesMax = 1e6) => readJson(new TextEncoder().encode(text), bytesMax);

const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

test("a document is bounded in bytes, depth and members before it is parsed", () => {
  assert.deepEqual(parsed("[1]", 3), [1]);
  assert.throws(() => parsed("[1]", 2), /body: is larger than 2 bytes/);
  assert.doesNotThrow(() => parsed(deep(64)));
  assert.throws(() => parsed(deep(65)), /body: is nested deeper than 64 levels/);
  const many = `[${"1,".repeat(10_000)}1]`;
  assert.throws(() => parsed(many), /body: has more than 10000 members/);
  assert.throws(() => parsed("{"), /body: is not JSON/);
  assert.throws(() => readJson(Uint8Array.of(0x22, 0xff, 0x22), 9), /body: is not UTF-8/);
});

test("an element has so many bytes besides its longest text", () => {
  const long = "x".repeat(100);
  assert.deepEqual(elements(`["${long}"]`, 10), [long]);
  const refused = /body\[1\]: has more than 10 bytes besides its longest text/;
  assert.throws(() => elements('[1,["abcdef","abcdef"]]', 10), refused);
});

test("a member that is not known is named", () => {
  requireMembers({ a: 1 }, ["a", "b"]);
  assert.throws(() => requireMembers({ a: 1, c: 2 }, ["a"]), /^Problem: c: is not a known member$/);
  assert.throws(
    () => requireMembers({ c: 2 }, ["a"], "in"),
    /^Problem: in: c is not a known member$/,
  );
});
