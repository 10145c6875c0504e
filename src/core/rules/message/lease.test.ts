import assert from "node:assert/strict";
import { test } from "node:test";
import { aNewMessage } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { POISON_LOSSES } from "../../model/message/message.ts";
import { handBack, loseLease } from "./lease.ts";

const AT = 7_000;
const held = aNewMessage({ leasedBy: "node" }).state;
const again = {
  ...held,
  phase: "waiting",
  fence: held.fence + 1,
  nodeId: null,
  leasedAt: null,
  readyAt: AT,
};
const due = { type: "line.due", accountId: "account", line: "h:example.test", at: AT };
const act = {
  rule: "hand-back",
  at: AT,
  lease: { accountId: "account", messageId: "message", fence: 1 },
} as const;

test("a lease that is handed back counts for nothing", () => {
  assert.deepEqual(handBack.needs(act), { messages: [act.lease] });
  assert.deepEqual(handBack.decide(act, rowsOf({ messages: [held] })), {
    changes: [{ type: "message.changed", state: again }, due],
    answer: "waiting",
  });
});

test("a lease that is not held cannot be handed back", () => {
  const stale = { changes: [], answer: "stale" };
  const newer = { ...held, fence: 2 };
  const waiting = { ...held, phase: "waiting" as const };
  assert.deepEqual(handBack.decide(act, rowsOf({})), stale);
  assert.deepEqual(handBack.decide(act, rowsOf({ messages: [newer] })), stale);
  assert.deepEqual(handBack.decide(act, rowsOf({ messages: [waiting] })), stale);
});

test("handed back after it was canceled, a message is canceled", () => {
  const messages = [{ ...held, cancelRequested: true }];
  const { changes, answer } = handBack.decide(act, rowsOf({ messages }));
  assert.equal(answer, "canceled");
  assert.deepEqual(
    changes.map(({ type }) => type),
    ["log.added", "message.ended"],
  );
});

test("a lost lease is counted, and uses up no retry", () => {
  assert.deepEqual(loseLease(held, "heir", AT), {
    kind: "waiting",
    changes: [{ type: "message.changed", state: { ...again, losses: 1 } }, due],
  });
});

test("lost after it was canceled, a message is canceled", () => {
  const { kind, changes } = loseLease({ ...held, cancelRequested: true }, "heir", AT);
  assert.equal(kind, "canceled");
  assert.deepEqual(changes.at(-1)?.type, "message.ended");
});

test("the loss before the last lets it wait, the last one makes it poison", () => {
  const suspect = { ...held, losses: POISON_LOSSES - 2 };
  assert.equal(loseLease(suspect, "heir", AT).kind, "waiting");
  const poison = loseLease({ ...held, losses: POISON_LOSSES - 1 }, "heir", AT);
  assert.deepEqual(poison, {
    kind: "poison",
    changes: [
      {
        type: "message.changed",
        state: { ...held, losses: POISON_LOSSES, nodeId: "heir", leasedAt: AT, fence: 2 },
      },
    ],
  });
});
