import assert from "node:assert/strict";
import { test } from "node:test";
import { aPublish, aPublishItem } from "../../../test/support/messages.ts";
import type { Act } from "../../core/rules/registry.ts";
import { accountOf, rowsOf } from "./act-account.ts";

const ref = { accountId: "a", runId: "run" };
const items = Array.from({ length: 40 }, () => ({}));

/** Only the fields that count. */
const ACTS: readonly (readonly [object, number])[] = [
  [aPublish(0, aPublishItem({ accountId: "a" }), aPublishItem({ accountId: "a" })), 2],
  [{ rule: "cancel", keys: [ref, ref, ref] }, 3],
  [{ rule: "send-many-now", messages: Array.from({ length: 500 }, () => ({ key: ref })) }, 500],
  [{ rule: "make-lines-due", accountId: "a", lines: ["x", "y"] }, 2],
  [{ rule: "append", ref, items }, 40],
  [{ rule: "reply", lease: ref, ref, reply: { kind: "steps", items } }, 41],
  [{ rule: "reply", lease: ref, ref, reply: { kind: "end" } }, 1],
  [{ rule: "rerun", key: ref, run: ref, entries: items }, 40],
  [{ rule: "notify", refs: [ref], messageIds: ["x", "y", "z"], isKept: false }, 3],
  [{ rule: "notify", refs: [ref], messageIds: ["x", "y", "z"], isKept: true }, 1],
];

test("an act belongs to its account and counts for all of its rows", () => {
  for (const [act, rows] of ACTS) {
    assert.equal(accountOf(act as Act), "a", JSON.stringify(act));
    assert.equal(rowsOf(act as Act), rows, JSON.stringify(act));
  }
});

test("ticks belong to the service, since they are of several accounts", () => {
  const act = { rule: "tick", at: 0, ticks: [] } as const;
  assert.deepEqual([accountOf(act), rowsOf(act)], ["", 1]);
});
