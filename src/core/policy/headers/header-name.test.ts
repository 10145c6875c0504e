import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalHeaderName, headerRecord, replaceHeaders } from "./header-name.ts";

test("each word of a name begins with a capital, and has no other", () => {
  for (let round = 0; round < 2; round++) {
    assert.equal(canonicalHeaderName("x-REQUEST-id"), "X-Request-Id");
    assert.equal(canonicalHeaderName("-a--B-"), "-A--B-");
    assert.equal(canonicalHeaderName(""), "");
  }
});

test("names are known by any case when they are replaced", () => {
  const headers = [
    ["X-One", "1"],
    ["x-two", "2"],
    ["X-One", "3"],
  ] as const;
  assert.deepEqual(replaceHeaders(headers, [["x-one", "new"]]), [
    ["x-two", "2"],
    ["x-one", "new"],
  ]);
  assert.deepEqual(replaceHeaders(headers, [["X-TWO", "new"]]), [
    ["X-One", "1"],
    ["X-One", "3"],
    ["X-TWO", "new"],
  ]);
  assert.equal(replaceHeaders(headers, []), headers);
});

test("values of one name stand together, under any name", () => {
  assert.equal(headerRecord([]), undefined);
  const record = headerRecord([
    ["x-a", "1"],
    ["__proto__", "2"],
    ["X-A", "3"],
  ]);
  assert.deepEqual(Object.entries(record!), [
    ["X-A", ["1", "3"]],
    ["__proto__", ["2"]],
  ]);
});
