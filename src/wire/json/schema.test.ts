import assert from "node:assert/strict";
import { test } from "node:test";
import {
  anyOf,
  choice,
  closedObject,
  flag,
  headers,
  inlineObject,
  instant,
  integer,
  list,
  object,
  orNull,
  page,
  text,
  withDefault,
} from "./schema.ts";

test("values have a type, and what they say only where it is given", () => {
  assert.deepEqual(text(), { type: "string" });
  assert.deepEqual(text("Says.", "a", "b"), {
    type: "string",
    description: "Says.",
    examples: ["a", "b"],
  });
  assert.deepEqual(integer("Says.", 1), { type: "integer", description: "Says.", examples: [1] });
  assert.deepEqual(flag("Says."), { type: "boolean", description: "Says." });
  assert.deepEqual(list(text(), "Says."), {
    type: "array",
    items: { type: "string" },
    description: "Says.",
  });
  assert.deepEqual(choice(["a"], "Says.", "a"), {
    type: "string",
    enum: ["a"],
    description: "Says.",
    examples: ["a"],
  });
  assert.match(String(instant("When.")["description"]), /^When\. Unix milliseconds\.$/);
  assert.deepEqual(withDefault(1, integer()), { type: "integer", default: 1 });
  assert.deepEqual(anyOf(text(), flag()), { anyOf: [{ type: "string" }, { type: "boolean" }] });
});

test("an object names the members that it must have, and a closed one has no others", () => {
  const members = { a: { type: "string" }, b: { type: "integer" } };
  const open = { type: "object", properties: members, required: ["a"] };
  assert.deepEqual(inlineObject({ a: text() }, { b: integer() }), open);
  assert.deepEqual(inlineObject({}, { b: integer() }), {
    type: "object",
    properties: { b: { type: "integer" } },
  });
  assert.deepEqual(object("Title", { a: text() }, { b: integer() }), { title: "Title", ...open });
  const closed = closedObject({ a: text() }, { b: integer() });
  assert.deepEqual(closed, { ...open, additionalProperties: false });
});

test("what may be null may be so among its choices too", () => {
  assert.deepEqual(orNull(text("Says.")), { type: ["string", "null"], description: "Says." });
  assert.deepEqual(orNull(choice(["a", "b"])), {
    type: ["string", "null"],
    enum: ["a", "b", null],
  });
});

test("headers are lists of texts, and a page has items and a cursor", () => {
  const values = { type: "array", items: { type: "string" } };
  const shown = { type: "object", description: "Says.", additionalProperties: values };
  assert.deepEqual(headers("Says."), shown);
  assert.deepEqual(headers("Says.", { a: ["b"] }), { ...shown, examples: [{ a: ["b"] }] });
  const { title, properties, required } = page("Page", "items", text());
  assert.deepEqual([title, required], ["Page", ["items"]]);
  const { items, cursor } = properties as Record<string, { type: string; items?: object }>;
  assert.deepEqual(
    [items?.type, items?.items, cursor?.type],
    ["array", { type: "string" }, "string"],
  );
});
