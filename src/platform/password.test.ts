import assert from "node:assert/strict";
import { scryptSync } from "node:crypto";
import { test } from "node:test";
import { createIds } from "./ids.ts";
import { hashPassword, isSame, matchesPassword } from "./password.ts";

test("a password is found again in its hash, and no other is", async () => {
  const hashed = await hashPassword("pässword", createIds());
  assert.ok(!hashed.includes("ssword"));
  assert.equal(await matchesPassword("pässword", hashed), true);
  assert.equal(await matchesPassword("pa\u0308ssword", hashed), true);
  assert.equal(await matchesPassword("pässwor", hashed), false);
  assert.equal(await matchesPassword("", hashed), false);
});

test("a try takes 32 MiB and 32,768 rounds", async () => {
  const [kind, cost, salt, key] = (await hashPassword("a", createIds())).split("$");
  assert.deepEqual([kind, cost], ["scrypt", "15"]);
  const options = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
  const derived = scryptSync("a", Buffer.from(salt!, "base64url"), 32, options);
  assert.equal(derived.toString("base64url"), key);
});

test("the same password is stored otherwise each time", async () => {
  const ids = createIds();
  assert.notEqual(await hashPassword("a", ids), await hashPassword("a", ids));
});

test("what is no hash matches nothing", async () => {
  for (const text of ["", "plain", "scrypt$15$abc", "md5$1$a$b"]) {
    assert.equal(await matchesPassword("plain", text), false);
  }
});

test("secrets are compared whole", () => {
  assert.equal(isSame("abc", "abc"), true);
  assert.equal(isSame("abc", "abcd"), false);
});
