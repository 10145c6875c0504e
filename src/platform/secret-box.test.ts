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
  const [derived] = box.derive("cursors");
  assert.deepEqual(box.derive("cursors"), [derived]);
  assert.notEqual(derived, box.derive("sealing")[0]);
  assert.notEqual(derived, other.derive("cursors")[0]);
});

test("a box with two keys seals with the one in use and opens with either", () => {
  const two = createSecretBox("the key before", createIds());
  const before = two.seal("text", "owner");
  const nextId = two.add("the next key");
  assert.deepEqual(two.keyIds, [two.keyId, nextId]);
  assert.equal(two.add("the next key"), nextId);
  assert.equal(two.keyIds.length, 2);
  const [first, second] = two.derive("cursors");
  two.use(nextId);
  assert.equal(two.keyId, nextId);
  const after = two.seal("text", "owner");
  assert.deepEqual(
    [before, after].map((sealed) => two.open(sealed, "owner")),
    ["text", "text"],
  );
  assert.equal(two.keyIdOf(after, "owner"), nextId);
  assert.equal(createSecretBox("the next key", createIds()).open(after, "owner"), "text");
  assert.throws(() => createSecretBox("the key before", createIds()).open(after, "owner"));
  assert.equal(two.keyIdOf(before, "another owner"), null);
  assert.deepEqual(two.derive("cursors"), [second, first]);
  assert.throws(() => two.use("0123456789abcdef"), /no such key/);
  // Ids are printed, so none may hold a part of its key.
  assert.match(nextId, /^[0-9a-f]{16}$/);
});
