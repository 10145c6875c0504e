import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import { asStepError, readCalledStep, readSubmittedStep } from "./step.ts";

const hookIdOf = (fields: object): string | undefined =>
  readSubmittedStep(
    new TextEncoder().encode(
      JSON.stringify({ stepId: 1, stepName: "make", stepType: "CreateWebhook", ...fields }),
    ),
  ).hookId;

const sleepUntilOf = (fields: object): number | undefined => {
  const step = { stepId: 1, stepName: "nap", stepType: "SleepUntil", ...fields };
  return readSubmittedStep(new TextEncoder().encode(JSON.stringify(step))).sleepUntil;
};

test("a step that has created a webhook names its event", () => {
  const out = JSON.stringify({ webhookUrl: "https://x.test/y", eventId: "evt_1" });
  assert.equal(hookIdOf({ out }), "evt_1");
  assert.equal(hookIdOf({ out, stepType: "Run" }), undefined);
  assert.equal(hookIdOf({ out, stepId: 0, targetStep: 1 }), undefined);
});

test("a step that names no event creates no webhook", () => {
  const outs = [undefined, null, 1, {}, "", "no json", "null", "{}", "[]", '{"eventId":1}'];
  for (const out of [...outs, '{"eventId":""}', '{"eventId":"a\\u0000b"}']) {
    assert.equal(hookIdOf({ out }), undefined, JSON.stringify(out));
  }
});

test("a step that sleeps until an instant says which, in milliseconds", () => {
  assert.equal(sleepUntilOf({ sleepUntil: 1_700_000_000.4 }), 1_700_000_000_400);
  assert.equal(sleepUntilOf({ sleepUntil: 1_700_000_000.4001 }), 1_700_000_000_401);
  assert.equal(sleepUntilOf({ sleepUntil: 9, stepId: 0, targetStep: 1 }), 9_000);
  assert.equal(sleepUntilOf({ sleepUntil: 9, stepType: "Run" }), undefined);
  for (const sleepUntil of [undefined, null, "9", -1, 1e300]) {
    assert.equal(sleepUntilOf({ sleepUntil }), undefined, String(sleepUntil));
  }
});

const planOf = (fields: object) => {
  const step = { stepId: 0, stepName: "plan", stepType: "Run", ...fields };
  return readSubmittedStep(new TextEncoder().encode(JSON.stringify(step)));
};

test("a plan names the step that it is for", () => {
  assert.deepEqual(planOf({ targetStep: 3 }), { kind: "plan", stepKey: "p:3" });
  assert.deepEqual(planOf({ stepId: 2 }), { kind: "result", stepKey: "r:2" });
  assert.throws(() => planOf({}), { message: "targetStep: must be a whole number" });
  assert.throws(() => planOf({ targetStep: 0 }), { message: "targetStep: must be at least 1" });
  assert.equal(planOf({ targetStep: 1_000_000 }).stepKey, "p:1000000");
  assert.throws(() => planOf({ targetStep: 1_000_001 }), /targetStep: must be at most 1000000/);
});

const named = (stepName: string) => {
  const step = { stepId: 1, stepName, stepType: "R" };
  return readSubmittedStep(new TextEncoder().encode(JSON.stringify(step))).stepKey;
};

test("names of steps have 1 to 1,024 characters", () => {
  for (const name of ["x", "x".repeat(1_024)]) assert.equal(named(name), "r:1");
  for (const name of ["", "x".repeat(1_025)]) assert.throws(() => named(name), /stepName: /);
});

test("the step of a call is in the headers of its callback", () => {
  const given: Record<string, string> = {
    "workflow-stepid": "3",
    "workflow-stepname": "call it",
    "workflow-steptype": "Call",
  };
  const read = (more: Record<string, string | undefined> = {}) =>
    readCalledStep((suffix) => ({ ...given, ...more })[suffix]);
  const step = { stepId: 3, stepName: "call it", stepType: "Call", concurrent: 1 };
  assert.deepEqual(read(), step);
  assert.deepEqual(read({ "workflow-concurrent": "4" }), { ...step, concurrent: 4 });
  for (const [suffix, name] of [
    ["stepid", "StepId"],
    ["stepname", "StepName"],
    ["steptype", "StepType"],
  ]) {
    const missing = new RegExp(`Callback-Forward-Workflow-${name}: is missing`);
    assert.throws(() => read({ [`workflow-${suffix}`]: undefined }), missing);
  }
  assert.throws(() => read({ "workflow-stepid": "x" }), /stepId/);
});

const kindOf = (kind: ConstructorParameters<typeof Problem>[0]) => {
  try {
    asStepError(() => {
      throw new Problem(kind, "why");
    });
    return null;
  } catch (error) {
    return error instanceof Problem ? [error.kind, error.message] : null;
  }
};

test("a fault of a step has a status of its own", () => {
  assert.deepEqual(kindOf("invalid-request"), ["invalid-step", "why"]);
  const large = ["quota-exceeded", "quota maxMessageSize exceeded: why"];
  assert.deepEqual(kindOf("body-too-large"), large);
  assert.deepEqual(kindOf("headers-too-large"), ["headers-too-large", "why"]);
  assert.throws(() => asStepError(() => JSON.parse("{")), SyntaxError);
  assert.equal(
    asStepError(() => 7),
    7,
  );
});
