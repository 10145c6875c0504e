import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { StepLog } from "../../../sdk/src/answers/workflow.ts";
import { groupLine } from "./run-steps.ts";

const NOW = 1_700_000_000_000;

function lineOf(fields: Partial<StepLog>): string {
  const step = { stepName: "rest", stepType: "SleepFor", state: "STEP_PROGRESS", ...fields };
  const line = groupLine({ type: "sequential", steps: [step as StepLog] }, NOW);
  return stripVTControlCharacters(line ?? "");
}

test("a step that sleeps says when it wakes, in both forms", () => {
  const forTime = { sleepFor: 60_000, nextDeliveryTime: NOW + 5_000 };
  assert.equal(lineOf(forTime), "  … rest (wakes in 5.0 s)");
  assert.equal(lineOf({ sleepUntil: NOW / 1_000 + 5 }), "  … rest (wakes in 5.0 s)");
  for (const past of [
    { sleepFor: 1, nextDeliveryTime: NOW },
    { sleepUntil: NOW / 1_000 - 9 },
    { sleepFor: 1 },
  ]) {
    assert.equal(lineOf(past), "  … rest");
  }
});

test("a step that waits for an answer says when the next attempt is", () => {
  const call = { stepType: "Call", nextDeliveryTime: NOW + 5_000 };
  assert.equal(lineOf(call), "  … rest (next attempt in 5.0 s)");
});
