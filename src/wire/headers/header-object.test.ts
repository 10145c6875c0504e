import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import { headerObject, readHeaderObject, requireFewHeaders } from "./header-object.ts";

test("headers are texts, or lists of them, in their order", () => {
  assert.deepEqual(readHeaderObject({ "X-A": "1", "X-B": ["2", "3"], "X-C": [] }), [
    ["X-A", "1"],
    ["X-B", "2"],
    ["X-B", "3"],
  ]);
  for (const value of [7, null, { a: "1" }, ["1", 7], [["1"]]]) {
    assert.throws(
      () => readHeaderObject({ "X-A": value }),
      /headers: X-A must be a string or an array of strings/,
    );
  }
});

test("a document says that they are", () => {
  const { additionalProperties, description } = headerObject("Of the call.");
  assert.deepEqual(additionalProperties, { type: ["string", "array"], items: { type: "string" } });
  assert.equal(description, "Of the call.");
});

function refusal(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    assert.ok(error instanceof Problem && error.kind === "headers-too-large");
    return error.message;
  }
}

const long = (length: number) => ["name", "x".repeat(length - 4)];

const many = (count: number) => Array.from({ length: count * 2 }, () => "x");

test("there are up to 200 headers, of 16 KiB together", () => {
  assert.equal(
    refusal(() => requireFewHeaders(many(200))),
    null,
  );
  assert.match(refusal(() => requireFewHeaders(many(201))) ?? "", /more than 200 headers/);
  assert.equal(
    refusal(() => requireFewHeaders(long(16_384))),
    null,
  );
  assert.match(refusal(() => requireFewHeaders(long(16_385))) ?? "", /more than 16384 bytes/);
  const values = Array.from({ length: 201 }, () => "x");
  assert.match(refusal(() => readHeaderObject({ a: values })) ?? "", /more than 200 headers/);
});
