/** A text cannot be made to look like another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { idTail } from "../../dashboard/src/app/format.ts";
import { visibleText } from "../../dashboard/src/parts/visible-text.ts";

test("characters that turn the direction are shown by their number", () => {
  assert.equal(visibleText("pay\u202Efdp.exe"), "pay⟨U+202E⟩fdp.exe");
  assert.equal(visibleText("\u2066a\u2069 \u200F\u061C"), "⟨U+2066⟩a⟨U+2069⟩ ⟨U+200F⟩⟨U+061C⟩");
  assert.equal(visibleText("שלום, Grüße"), "שלום, Grüße");
});

test("a short id is shown whole, a long one by its end", () => {
  assert.equal(idTail("A-10459"), "A-10459");
  assert.equal(idTail("msg_01M7QQ0T8KD4YKBNDMCQNR81JS"), "…R81JS");
});
