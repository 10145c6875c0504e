import assert from "node:assert/strict";
import { test } from "node:test";
import { readBasicCredentials } from "./session.ts";

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
