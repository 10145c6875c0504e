import assert from "node:assert/strict";
import { test } from "node:test";
import { recordWithoutHookIds, withoutHookIds } from "./hidden-steps.ts";

const HIDDEN = "hidden from read-only tokens";
const CREATED = { stepId: 1, stepType: "CreateWebhook", out: "secret" };
const AWAITED = { stepId: 2, stepType: "WaitForWebhook", waitEventId: "secret" };
const OTHER = { stepId: 3, stepType: "Wait", waitEventId: "told", out: "told" };

test("steps of a logged run do not tell the ids of webhooks", () => {
  const steps = [
    { type: "sequential", steps: [CREATED, OTHER] },
    { type: "parallel", steps: [AWAITED, { stepId: 4, stepType: "CreateWebhook" }] },
  ];
  assert.deepEqual(withoutHookIds({ workflowRunId: "run", steps }), {
    workflowRunId: "run",
    stepInfo: undefined,
    steps: [
      { type: "sequential", steps: [{ ...CREATED, out: HIDDEN }, OTHER] },
      {
        type: "parallel",
        steps: [
          { ...AWAITED, waitEventId: HIDDEN },
          { stepId: 4, stepType: "CreateWebhook" },
        ],
      },
    ],
  });
});

test("neither does the step of an event", () => {
  assert.deepEqual(withoutHookIds({ state: "S", stepInfo: AWAITED }), {
    state: "S",
    steps: undefined,
    stepInfo: { ...AWAITED, waitEventId: HIDDEN },
  });
});

const hiddenIn = (text: string) => {
  const record = Buffer.from(`x${text}`).subarray(1);
  const shown = recordWithoutHookIds(record);
  return shown === record ? "same" : (JSON.parse(Buffer.from(shown).toString()) as unknown);
};

test("nor the record of a step; what is none stays as it is", () => {
  assert.deepEqual(hiddenIn(JSON.stringify(CREATED)), { ...CREATED, out: HIDDEN });
  assert.deepEqual(hiddenIn(JSON.stringify(AWAITED)), { ...AWAITED, waitEventId: HIDDEN });
  assert.equal(hiddenIn(JSON.stringify(OTHER)), "same");
  assert.equal(hiddenIn('"CreateWebhook"'), "same");
  assert.equal(hiddenIn("CreateWebhook"), "same");
  assert.equal(hiddenIn(""), "same");
});
