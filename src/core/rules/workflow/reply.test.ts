import assert from "node:assert/strict";
import { test } from "node:test";
import { anAttempt, bytes, START_AT } from "../../../../test/support/messages.ts";
import { anItem, refOf } from "../../../../test/support/runs.ts";
import { resultKey } from "../../model/workflow/run.ts";
import { reply, type RunReply } from "./reply.ts";

const LEASE = { accountId: "account", messageId: "step", fence: 1 };

const needs = (given: RunReply) =>
  reply.needs({
    rule: "reply",
    at: START_AT + 1,
    lease: LEASE,
    attempt: anAttempt(),
    ref: refOf(),
    reply: given,
  });

test("a reply needs its delivery and the keys of its steps, and one that ends its run all messages of it", () => {
  const items = [anItem("a", 1), anItem("b", 2)];
  assert.deepEqual(needs({ kind: "steps", items }), {
    messages: [LEASE],
    runs: [{ ref: refOf(), stepKeys: [resultKey(1), resultKey(2)] }],
  });
  const end = { kind: "end", response: bytes("1"), invoker: null, invokerMessageId: "" } as const;
  assert.deepEqual(needs(end), {
    messages: [LEASE],
    runs: [{ ref: refOf(), messages: true }],
  });
});
