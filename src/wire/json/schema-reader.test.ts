import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyReader, readerOf } from "./schema-reader.ts";
import {
  choice,
  closedObject,
  flag,
  inlineObject,
  integer,
  list,
  orNull,
  refusedAs,
  text,
  withDefault,
  withKeywords,
} from "./schema.ts";

const ITEM = closedObject({ url: text() }, { name: orNull(text()) });
const FORM = closedObject(
  { color: choice(["red", "blue"]), items: withKeywords(list(ITEM), { minItems: 1, maxItems: 2 }) },
  {
    count: withDefault(1, withKeywords(integer(), { minimum: 1, maximum: 9 })),
    isOpen: flag(),
    key: refusedAs("is no key", withKeywords(text(), { pattern: "^[a-z]+$" })),
    note: withKeywords(text(), { minLength: 1, maxLength: 3 }),
    any: {},
  },
);
const read = bodyReader(FORM, 100_000);
const GOOD = { color: "red", items: [{ url: "u", name: null }] };

test("a value is read as its schema says, with defaults", () => {
  const any = [{ x: null }];
  const given = { ...GOOD, isOpen: true, key: "k", note: "abc", any };
  assert.deepEqual(readJson(given), { ...given, count: 1 });
  assert.equal(readJson({ ...GOOD, count: 9 }).count, 9);
});

test("without bounds texts and lists may be empty, and numbers anything whole", () => {
  assert.equal(readerOf(text())("", "f"), "");
  assert.deepEqual(readerOf(list(text()))([], "f"), []);
  assert.equal(readerOf(integer())(-1e15, "f"), -1e15);
  assert.equal(readerOf(withKeywords(integer(), { minimum: 1, maximum: 9 }))(1, "f"), 1);
  assert.equal(readerOf(withKeywords(text(), { minLength: 1, maxLength: 3 }))("x", "f"), "x");
});

test("what is wrong is refused with a sentence that names the field", () => {
  const cases: readonly [object, string][] = [
    [[], "body: must be an object"],
    [{ items: [] }, "color: is missing"],
    [{ ...GOOD, color: "green" }, "color: must be one of red, blue"],
    [{ ...GOOD, other: 1 }, "other: is not a known member"],
    [{ ...GOOD, items: {} }, "items: must be an array"],
    [{ ...GOOD, items: [] }, "items: is empty"],
    [{ ...GOOD, items: [1, 2, 3] }, "items: has more than 2"],
    [{ ...GOOD, items: [1] }, "items[0]: must be an object"],
    [{ ...GOOD, items: [{}] }, "items[0].url: is missing"],
    [{ ...GOOD, items: [{ url: null }] }, "items[0].url: must be a string"],
    [{ ...GOOD, items: [{ url: "u", nam: 1 }] }, "items[0]: nam is not a known member"],
    [{ ...GOOD, items: [{ url: "u", name: 1 }] }, "items[0].name: must be a string"],
    [{ ...GOOD, count: 0 }, "count: must be at least 1"],
    [{ ...GOOD, count: 10 }, "count: must be at most 9"],
    [{ ...GOOD, count: 1.5 }, "count: must be a whole number"],
    [{ ...GOOD, isOpen: 1 }, "isOpen: must be true or false"],
    [{ ...GOOD, key: 1 }, "key: is no key"],
    [{ ...GOOD, key: "K" }, "key: is no key"],
    [{ ...GOOD, note: "" }, "note: is empty"],
    [{ ...GOOD, note: "four" }, "note: is longer than 3 characters"],
  ];
  for (const [given, message] of cases) {
    assert.throws(() => readJson(given), { message, kind: "invalid-request" });
  }
});

test("members of the prototype are none, and an open object may have others", () => {
  const proto = JSON.parse('{"__proto__":{"url":"u"}}') as unknown;
  assert.throws(() => readerOf(ITEM)(proto, "body"), { message: "url: is missing" });
  const open = readerOf(inlineObject({ url: text() }));
  assert.equal(open({ url: "u", other: 1 }, "body").url, "u");
});

test("another root is named only where the object itself is wrong", () => {
  const item = readerOf(ITEM, "message");
  assert.throws(() => item({ url: 1 }, "message"), { message: "url: must be a string" });
  assert.throws(() => item({ url: "", x: 1 }, "message"), {
    message: "message: x is not a known member",
  });
});

test("a schema that cannot be read is found when its reader is made", () => {
  assert.throws(() => readerOf({ type: "number" }), /no reader/);
});

function readJson(given: object) {
  return read(Buffer.from(JSON.stringify(given)));
}
