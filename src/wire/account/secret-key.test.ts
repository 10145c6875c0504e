import assert from "node:assert/strict";
import { test } from "node:test";

import { readSecretKeyRequest } from "./secret-key.ts";

const read = (request: unknown): unknown =>
  readSecretKeyRequest(Buffer.from(JSON.stringify(request)));

test("a secret key is named by its id, or not at all", () => {
  const named = { key_id: "5f0c2d9a4b7e8316" };
  assert.deepEqual(read(named), named);
  assert.deepEqual(read({}), {});
  const wrong = [
    "",
    "5f0c2d9a4b7e831",
    "5f0c2d9a4b7e83160",
    "5F0C2D9A4B7E8316",
    "5f0c2d9a4b7e831g",
  ];
  for (const key_id of wrong) assert.throws(() => read({ key_id }), /^Problem: key_id: /, key_id);
});
