import assert from "node:assert/strict";
import { test } from "node:test";

import { toParameter } from "./parameter.ts";

test("an array travels as the server reads it", () => {
  assert.equal(toParameter([]), "{}");
  assert.equal(toParameter(["", "NULL", "a,b", "{}"]), '{"","NULL","a,b","{}"}');
  assert.equal(toParameter(['say "a\\b"', '"']), '{"say \\"a\\\\b\\"","\\""}');
  assert.equal(toParameter([1, null, -2.5, true, undefined]), "{1,NULL,-2.5,true,NULL}");
});

test("what is no array travels as it is, and what has no text not at all", () => {
  const body = Buffer.from("x");
  assert.equal(toParameter(body), body);
  assert.equal(toParameter(null), null);
  assert.throws(() => toParameter([body]), TypeError);
});
