import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount } from "../../../test/support/messages.ts";
import { readBasicCredentials, readSignIn, sessionJson } from "./session.ts";

const encode = (text: string): string => Buffer.from(text).toString("base64");

test("a name and a password are read, in any case of the scheme and with any padding", () => {
  const expected = { user: "ädmin", password: "a:b c" };
  const encoded = encode("ädmin:a:b c");
  for (const header of [`Basic ${encoded}`, `basic  ${encoded.replaceAll("=", "")} `]) {
    assert.deepEqual(readBasicCredentials(header), expected);
  }
  assert.deepEqual(readBasicCredentials(`Basic ${encode("a:")}`), { user: "a", password: "" });
});

test("any other header has no credentials", () => {
  const latin1 = Buffer.from([0xe4, 0x3a, 0x62]).toString("base64");
  for (const header of [
    undefined,
    "",
    "Basic",
    `Bearer ${encode("a:b")}`,
    `Basic ${encode("ab")}`,
    `Basic ${encode(":b")}`,
    `Basic ${encode("a:b")} x`,
    `Basic ${encode("abc:def")}x`,
    `Basic ${latin1}`,
    `Basic ${encode(`a:${"b".repeat(3_000)}`)}`,
  ]) {
    assert.equal(readBasicCredentials(header), null, header);
  }
});

test("a header of 2,048 characters is read", () => {
  const header = `Basic ${encode("a:".padEnd(1_530, "b"))}`;
  assert.equal(header.length, 2_046);
  assert.equal(readBasicCredentials(header.padEnd(2_048))?.user, "a");
  assert.equal(readBasicCredentials(header.padEnd(2_049)), null);
});

const signIn = (value: unknown) => readSignIn(new TextEncoder().encode(JSON.stringify(value)));

test("a sign-in is a token, or a name and a password", () => {
  assert.deepEqual(signIn({ token: "t" }), { token: "t" });
  assert.deepEqual(signIn({ name: "n", password: "p" }), { user: "n", password: "p" });
  assert.throws(() => signIn({}), /name: must be a text that is not empty/);
  assert.throws(() => signIn({ name: "n" }), /password: must be a text that is not empty/);
  assert.throws(() => signIn({ token: "" }), /token: must be a text that is not empty/);
  for (const more of [{ name: "n" }, { password: "p" }]) {
    assert.throws(() => signIn({ token: "t", ...more }), /token: is given together with a name/);
  }
});

test("a session shows who has signed in and what that allows", () => {
  const server = { version: "1.2.3", isDev: true };
  const account = anAccount();
  assert.deepEqual(sessionJson({ kind: "operator", user: "root" }, server), {
    kind: "operator",
    accountId: null,
    name: "root",
    scope: "full",
    isOwner: false,
    ...server,
  });
  const of = (isReadOnly: boolean, isOwner: boolean) =>
    sessionJson({ kind: "account", access: { account, isReadOnly, isOwner } }, server);
  assert.deepEqual(of(true, false), {
    kind: "account",
    accountId: "account",
    name: "account@example.com",
    scope: "read-only",
    isOwner: false,
    ...server,
  });
  assert.deepEqual([of(false, true).scope, of(false, true).isOwner], ["full", true]);
});
