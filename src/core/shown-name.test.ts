import assert from "node:assert/strict";
import { test } from "node:test";
import { shortened, shownName } from "./shown-name.ts";

test("a name is shown in visible characters, and one that is empty as such", () => {
  assert.equal(shownName("a b\u00e9\n~!"), "a?b??~!");
  assert.equal(shownName(""), '""');
});

test("a long text is cut, and one that can be an id is not", () => {
  assert.equal(shortened("x".repeat(128)), "x".repeat(128));
  assert.equal(shortened("x".repeat(129)), `${"x".repeat(128)}...`);
  assert.equal(shownName("x".repeat(10_000)).length, 131);
});
