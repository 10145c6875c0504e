import assert from "node:assert/strict";
import { test } from "node:test";
import { rawHeadersOf, textOf, urlTextOf, utf8BytesOf } from "./header-text.ts";

test("a URL in a header is UTF-8, of which each byte is one character", () => {
  for (const text of [
    "https://example.com/a",
    "https://example.com/\u00e9",
    "https://x/\u{1f600}",
  ]) {
    assert.equal(urlTextOf(utf8BytesOf(text)), text);
  }
  assert.equal(utf8BytesOf("\u00e9"), "\u00c3\u00a9");
  assert.equal(urlTextOf("\u00ef\u00bb\u00bfa"), "\ufeffa");
});

test("what is not UTF-8, or half of a character, is refused", () => {
  assert.throws(() => urlTextOf("https://x/\u00e9"), /is not UTF-8; send the URL percent-encoded/);
  assert.throws(() => utf8BytesOf("https://x/\ud800"), /holds half of a surrogate pair/);
});

test("any other text is UTF-8, or else Latin-1", () => {
  for (const text of ["plain", "gr\u00f6\u00dfe", "\u4f60\u597d"]) {
    assert.equal(textOf(utf8BytesOf(text)), text);
  }
  assert.equal(textOf("gr\u00f6\u00dfe"), "gr\u00f6\u00dfe");
});

test("of the headers of a document those that are settings are given as bytes", () => {
  assert.deepEqual(
    rawHeadersOf([
      ["Svc-Callback", "https://x/\u00e9"],
      ["upstash-failure-callback", "https://x/\u00e9"],
      ["Svc-Label", "\u00e9"],
      ["Svc-Forward-X-Label", "\u00e9"],
      ["X-Other", "\u00e9"],
    ]),
    [
      "Svc-Callback",
      "https://x/\u00c3\u00a9",
      "upstash-failure-callback",
      "https://x/\u00c3\u00a9",
      "Svc-Label",
      "\u00c3\u00a9",
      "Svc-Forward-X-Label",
      "\u00e9",
      "X-Other",
      "\u00e9",
    ],
  );
  const refused = /^Svc-Callback: holds half of a surrogate pair$/;
  assert.throws(
    () => rawHeadersOf([["Svc-Callback", "https://x/\ud800"]]),
    (error) => refused.test((error as Error).message),
  );
});
