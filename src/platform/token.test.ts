import assert from "node:assert/strict";
import { test } from "node:test";
import { accountIdIn, encodeToken } from "./token.ts";

test("a token names its account", () => {
  for (const accountId of [
    "defaultUser",
    "6f4b1f0e-0000-4000-8000-00000000000a",
    "ann@example.com",
  ]) {
    assert.equal(accountIdIn(encodeToken(accountId, "secret")), accountId);
    assert.equal(accountIdIn(encodeToken(accountId, "secret").replaceAll("=", "")), accountId);
  }
});

for (const [what, token] of [
  ["is no JSON", "a-token-of-my-own"],
  ["is null", Buffer.from("null").toString("base64")],
  ["names no account", Buffer.from('{"Password":"secret"}').toString("base64")],
  ["names no text", Buffer.from('{"UserID":7}').toString("base64")],
  ["names the empty text", encodeToken("", "secret")],
  ["names a path", encodeToken("a/../b", "secret")],
  ["names a way up", encodeToken("..", "secret")],
  ["names what needs escaping", encodeToken("a%20b", "secret")],
  ["names two lines", encodeToken("a\n", "secret")],
  ["names too much", encodeToken("a".repeat(65), "secret")],
] as const) {
  test(`a token that ${what} names no account`, () => {
    assert.equal(accountIdIn(token), null);
  });
}
