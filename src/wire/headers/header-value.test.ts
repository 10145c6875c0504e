import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import {
  cleanUrl,
  cleanValue,
  parseBoolean,
  parseDeduplicationId,
  parseId,
  parseInteger,
  parseLabels,
  parseMethod,
  parseName,
  parsePositiveInteger,
  parseUnixSeconds,
  parseUrl,
  prefixErrors,
  trimBlanks,
} from "./header-value.ts";

test("a value has up to 4,096 visible characters of Latin-1, without the blanks around it", () => {
  assert.equal(cleanValue("\t a b\u00ff "), "a b\u00ff");
  assert.equal(cleanValue(` ${"x".repeat(4_096)} `).length, 4_096);
  assert.throws(() => cleanValue("x".repeat(4_097)), /is longer than 4096 characters/);
  for (const value of ["a\tb", "a\u007f", "\u0100", "a\nb"]) {
    assert.throws(() => cleanValue(value), /control character or one outside of Latin-1/);
  }
});

test("a URL may have any visible character", () => {
  assert.equal(cleanUrl(" https://example.com/\u0100 "), "https://example.com/\u0100");
  assert.throws(() => cleanUrl("https://example.com/\u0000"), /holds a control character/);
  assert.throws(() => cleanUrl("x".repeat(4_097)), /is longer than 4096 characters/);
});

test("a whole number has up to 15 digits", () => {
  assert.equal(parseInteger("9".repeat(15)), 999_999_999_999_999);
  for (const text of ["", "-1", "1.5", "1e3", "9".repeat(16)]) {
    assert.throws(() => parseInteger(text), /is not a whole number of at most 15 digits/, text);
  }
  assert.equal(parsePositiveInteger("1"), 1);
  assert.throws(() => parsePositiveInteger("0"), /must be at least 1/);
});

test("true and false are written in any case", () => {
  assert.deepEqual(["true", "TRUE", "false", "False"].map(parseBoolean), [
    true,
    true,
    false,
    false,
  ]);
  for (const text of ["", "1", "yes"]) {
    assert.throws(() => parseBoolean(text), /is neither true nor false/, text);
  }
});

test("methods are written in any case, and others are refused", () => {
  assert.equal(parseMethod("patch"), "PATCH");
  assert.throws(() => parseMethod("TRACE"), /is not one of .*POST/);
});

test("a time in seconds ends with the year 9999", () => {
  assert.equal(parseUnixSeconds("253402300799"), Date.UTC(9999, 11, 31, 23, 59, 59));
  assert.throws(() => parseUnixSeconds("253402300800"), /is not a time in unix seconds/);
});

test("a URL begins with its scheme", () => {
  assert.equal(parseUrl("HTTPS://example.com"), "HTTPS://example.com");
  for (const text of ["example.com", "ftp://x", " http://x", "https:/x"]) {
    assert.throws(() => parseUrl(text), /must start with http:\/\/ or https:\/\//, text);
  }
});

test("names and ids are bounded", () => {
  assert.equal(parseName("x".repeat(256)).length, 256);
  assert.throws(() => parseName("x".repeat(257)), /is longer than 256 characters/);
  assert.throws(() => parseName(""), /is empty/);
  assert.equal(parseId("..."), "...");
  assert.equal(parseId(`A.z_0-${"x".repeat(122)}`).length, 128);
  for (const id of ["", ".", "..", "a b", "a/b", "x".repeat(129)]) {
    assert.throws(() => parseId(id), /must be 1 to 128 letters, digits, \. _ -/, id);
  }
  assert.equal(parseDeduplicationId("a b"), "a b");
  assert.throws(() => parseDeduplicationId("a:b"), /cannot contain ':'/);
  assert.throws(() => parseDeduplicationId(""), /is empty/);
});

test("labels stand between commas: up to 100 of up to 128 characters", () => {
  assert.deepEqual(parseLabels(" a ,,b\t, c d"), ["a", "b", "c d"]);
  assert.equal(parseLabels(Array(100).fill("x").join(",")).length, 100);
  assert.throws(() => parseLabels(Array(101).fill("x").join(",")), /has more than 100 labels/);
  assert.throws(() => parseLabels(" , "), /is empty/);
  assert.deepEqual(parseLabels(`a,${"x".repeat(128)}`)[1]?.length, 128);
  for (const text of [`a,${"x".repeat(129)}`, `${"x".repeat(129)},a`]) {
    assert.throws(() => parseLabels(text), /has a label of more than 128 characters/);
  }
});

test("blanks are spaces and tabs", () => {
  for (const [text, trimmed] of [
    ["", ""],
    [" \t ", ""],
    ["\t a \t b ", "a \t b"],
    ["\u00a0a\n", "\u00a0a\n"],
  ] as const) {
    assert.equal(trimBlanks(text), trimmed);
  }
});

const isRefused = (error: unknown) =>
  error instanceof Problem &&
  error.kind === "invalid-request" &&
  error.message === "field: is empty";

test("a refusal is given the name of its field, any other error stays", () => {
  assert.equal(
    prefixErrors("field", () => 7),
    7,
  );
  assert.throws(() => prefixErrors("field", () => parseName("")), isRefused);
  const other = new TypeError("other");
  const same = (error: unknown) => error === other;
  assert.throws(
    () =>
      prefixErrors("field", () => {
        throw other;
      }),
    same,
  );
});
