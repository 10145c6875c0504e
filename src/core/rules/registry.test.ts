import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublishAct } from "./message/publish.ts";
import type { HoldsBytes, Rule } from "../rule.ts";
import { bodyBytesOf } from "./registry.ts";

const WITHOUT_PARTS = { needs: () => ({}), decide: () => ({ changes: [], answer: [] }) };

test("a rule whose act carries bytes does not compile without naming them", () => {
  // @ts-expect-error: publish carries bodies, so that mapParts is missing.
  const rule: Rule<PublishAct> = WITHOUT_PARTS;
  assert.ok(!("mapParts" in rule));
});

test("bytes are found at any depth of a type", () => {
  const deep: HoldsBytes<{ list?: readonly { inner: Uint8Array | null }[] }> = true;
  const none: HoldsBytes<{ list: readonly { inner: string }[]; at: number }> = false;
  assert.deepEqual([deep, none], [true, false]);
});

test("the size of an act is that of all its bodies", () => {
  const key = { accountId: "a", scheduleId: "s" };
  const act = { rule: "remove-schedule", key } as const;
  assert.equal(bodyBytesOf(act), 0);
  const ended = {
    rule: "end-run",
    at: 1,
    ref: { accountId: "a", runId: "r" },
    phase: "success",
    response: new Uint8Array(7),
    invoker: null,
    invokerMessageId: "m",
  } as const;
  assert.equal(bodyBytesOf(ended), 7);
});
