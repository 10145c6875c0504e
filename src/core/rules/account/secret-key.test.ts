import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceRecord } from "../../model/account/account.ts";
import type { Rows } from "../../rule.ts";
import { beginSecretRotation, endSecretRotation, isSealedByOther } from "./secret-key.ts";

const SERVICE: ServiceRecord = { operator: null, isPaused: true };
const UNDER_WAY = { keyId: "new", previousId: "old" };

function begin(service: Partial<ServiceRecord>, from = "old", to = "new") {
  const rows = { service: () => ({ ...SERVICE, ...service }) } as unknown as Rows;
  return beginSecretRotation.decide({ rule: "begin-secret-rotation", from, to }, rows);
}

function end(service: Partial<ServiceRecord>, keyId = "new") {
  const rows = { service: () => ({ ...SERVICE, ...service }) } as unknown as Rows;
  return endSecretRotation.decide({ rule: "end-secret-rotation", keyId }, rows);
}

test("a rotation begins from the key in use, and the rest of the record stays", () => {
  const changes = [
    { type: "service.changed", service: { ...SERVICE, secretKey: UNDER_WAY } },
  ] as const;
  assert.deepEqual(begin({}), { changes, answer: UNDER_WAY });
  assert.deepEqual(begin({ secretKey: { keyId: "old" } }), { changes, answer: UNDER_WAY });
});

test("no other begins while one is under way, from a key that is not in use, or while the data moves", () => {
  assert.deepEqual(begin({ secretKey: UNDER_WAY }, "new", "third").changes, []);
  const secretKey = { keyId: "third" };
  assert.deepEqual(begin({ secretKey }), { changes: [], answer: secretKey });
  const move = { id: "m", to: "elsewhere", standStill: null, isMoved: false };
  assert.deepEqual(begin({ move }), { changes: [], answer: "moving" });
});

test("only the rotation that is under way ends", () => {
  const [changed] = end({ secretKey: UNDER_WAY }).changes;
  assert.deepEqual(changed, {
    type: "service.changed",
    service: { ...SERVICE, secretKey: { keyId: "new" } },
  });
  assert.deepEqual(end({ secretKey: UNDER_WAY }, "old"), { changes: [], answer: UNDER_WAY });
  assert.deepEqual(end({}), { changes: [], answer: null });
});

test("while no key was rotated, what any key has sealed is stored", () => {
  assert.equal(isSealedByOther(SERVICE, "any"), false);
  assert.equal(isSealedByOther({ ...SERVICE, secretKey: UNDER_WAY }, "old"), true);
  assert.equal(isSealedByOther({ ...SERVICE, secretKey: UNDER_WAY }, "new"), false);
});
