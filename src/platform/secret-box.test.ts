import assert from "node:assert/strict";
import { test } from "node:test";
import { createIds } from "./ids.ts";
import { createSecretBox } from "./secret-box.ts";

const box = createSecretBox("correct horse battery staple", createIds());

test("what was sealed opens for its owner only", () => {
  const sealed = box.seal("sig_secret", "account-1");
  assert.equal(box.open(sealed, "account-1"), "sig_secret");
  assert.ok(!sealed.includes("sig_secret"));
  assert.throws(() => box.open(sealed, "account-2"));
});

test("sealing twice shows nothing in common", () => {
  assert.notEqual(box.seal("same", "a"), box.seal("same", "a"));
});

test("another key, a changed byte and other texts do not open", () => {
  const sealed = box.seal("sig_secret", "a");
  const other = createSecretBox("another key", createIds());
  assert.throws(() => other.open(sealed, "a"));
  const flipped = sealed.slice(0, -4) + (sealed.endsWith("AAAA") ? "BBBB" : "AAAA");
  assert.throws(() => box.open(flipped, "a"));
  for (const text of ["", "v1.", "v1.AAAA", "sig_plain"]) assert.throws(() => box.open(text, "a"));
});

test("derived keys differ by purpose and by secret", () => {
  const other = createSecretBox("another key", createIds());
  assert.equal(box.derive("cursors"), box.derive("cursors"));
  assert.notEqual(box.derive("cursors"), box.derive("sealing"));
  assert.notEqual(box.derive("cursors"), other.derive("cursors"));
});
