import assert from "node:assert/strict";
import { test } from "node:test";

import { createIds } from "./ids.ts";
import { openWith, sealWith } from "./passphrase.ts";

const ids = createIds();

test("a text that was sealed by a passphrase opens with it and with no other", () => {
  const sealed = sealWith("correct horse battery", "the secret", ids);
  assert.doesNotMatch(sealed, /secret/);
  assert.equal(openWith("correct horse battery", sealed, ids), "the secret");
  assert.throws(() => openWith("correct horse batterz", sealed, ids));
  assert.throws(() => openWith("correct horse battery", `${sealed.slice(0, -2)}AA`, ids));
});

test("a text sealed twice is not the same, and accents may be typed in two ways", () => {
  const sealed = sealWith("clé", "the secret", ids);
  assert.notEqual(sealWith("clé", "the secret", ids), sealed);
  assert.equal(openWith("cle\u0301", sealed, ids), "the secret");
});
