import assert from "node:assert/strict";
import { test } from "node:test";
import { readNewToken, tokenJson } from "./token.ts";

const read = (value: unknown) => readNewToken(new TextEncoder().encode(JSON.stringify(value)));

test("a token has a name, a scope and a life", () => {
  const ci = { name: "ci", scope: "full" };
  assert.deepEqual(read(ci), { name: "ci", isReadOnly: false, lifeMs: null });
  assert.deepEqual(read({ ...ci, expiresIn: null }).lifeMs, null);
  assert.deepEqual(read({ ...ci, scope: "read-only", expiresIn: "30d" }), {
    name: "ci",
    isReadOnly: true,
    lifeMs: 30 * 86_400_000,
  });
  assert.throws(() => read({ ...ci, scope: "none" }), /scope: must be "full" or "read-only"/);
  assert.throws(
    () => read({ ...ci, expiresIn: 30 }),
    /expiresIn: must be a duration such as "30d"/,
  );
});

const lifeOf = (expiresIn: string) => read({ name: "ci", scope: "full", expiresIn }).lifeMs;

test("it lives for a minute to ten years", () => {
  assert.equal(lifeOf("1m"), 60_000);
  assert.equal(lifeOf("3650d"), 3_650 * 86_400_000);
  assert.throws(() => lifeOf("59s"), /expiresIn: is shorter than 1m/);
  assert.throws(() => lifeOf("3650d1s"), /expiresIn: is longer than 3650d/);
  assert.throws(() => lifeOf("soon"), /expiresIn: is not a duration/);
});

const named = (name: string) => read({ name, scope: "full" }).name;

test("its name has 1 to 64 characters and no blank at its ends", () => {
  for (const name of ["a", "a b", "x".repeat(64)]) assert.equal(named(name), name);
  for (const name of ["", " a", "a ", "a\n", "x".repeat(65)]) {
    assert.throws(() => named(name), /name: must be 1 to 64 characters/, name);
  }
});

test("what is shown of a token names its scope", () => {
  const facts = { name: "ci", createdAt: 1, expiresAt: null, lastUsedAt: 2 };
  assert.deepEqual(tokenJson({ ...facts, tokenId: "tok_1", isReadOnly: true }), {
    ...facts,
    id: "tok_1",
    scope: "read-only",
  });
  assert.equal(tokenJson({ ...facts, tokenId: "tok_1", isReadOnly: false }).scope, "full");
});
