import assert from "node:assert/strict";
import { test } from "node:test";
import { toParameter } from "./batch.ts";

test("an array is sent in the form that the server parses", () => {
  assert.equal(toParameter([]), "{}");
  assert.equal(toParameter(["", "NULL", "a,b", "{}"]), '{"","NULL","a,b","{}"}');
  assert.equal(toParameter(['say "a\\b"', '"']), '{"say \\"a\\\\b\\"","\\""}');
  assert.equal(toParameter([1, null, -2.5, true, undefined]), "{1,NULL,-2.5,true,NULL}");
});

test("bytes are sent unchanged, and a value without a text form is refused", () => {
  const body = Buffer.from("x");
  assert.equal(toParameter(body), body);
  assert.deepEqual(toParameter(new Uint8Array([120])), body);
  assert.deepEqual([null, undefined, 7, false, "x"].map(toParameter), [
    null,
    null,
    "7",
    "false",
    "x",
  ]);
  assert.throws(() => toParameter([body]), TypeError);
  assert.throws(() => toParameter({}), TypeError);
});
