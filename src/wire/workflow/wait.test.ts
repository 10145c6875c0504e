import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, START_AT } from "../../../test/support/messages.ts";
import { aWait } from "../../../test/support/runs.ts";
import { notifiedJson, readWaitRequest, waiterJson } from "./wait.ts";

const STEP = { stepId: 1, stepName: "approved", stepType: "Wait" };
const GIVEN = { url: "https://example.com/flow", step: STEP };
const read = (more: object = {}) => readWaitRequest(bytes(JSON.stringify({ ...GIVEN, ...more })));

test("a wait lasts for seven days and times out at its own URL, unless it says otherwise", () => {
  const bare = {
    url: "https://example.com/flow",
    timeoutMs: 604_800_000,
    timeoutUrl: "https://example.com/flow",
    timeoutHeaders: null,
    timeoutBody: undefined,
    step: { ...STEP, concurrent: 1 },
  };
  assert.deepEqual(read(), bare);
  const none = { timeout: null, timeoutUrl: null, timeoutHeaders: null, timeoutBody: null };
  assert.deepEqual(read(none), bare);
  const full = {
    timeoutUrl: "https://example.com/late",
    timeoutHeaders: { "X-Late": ["1"] },
    timeoutBody: { late: true },
  };
  assert.deepEqual(read({ ...full, timeout: "20s" }), {
    ...bare,
    ...full,
    timeoutMs: 20_000,
    timeoutHeaders: [["X-Late", "1"]],
  });
});

test("a timeout is a duration, a fraction of one, or seconds", () => {
  for (const [timeout, timeoutMs] of [
    ["7d", 604_800_000],
    ["1.5m", 90_000],
    [2, 2_000],
    [0.5, 500],
    ["3", 3_000],
  ] as const) {
    assert.equal(read({ timeout }).timeoutMs, timeoutMs);
  }
  for (const timeout of [{}, true, ["1s"]]) {
    assert.throws(
      () => read({ timeout }),
      /timeout: is neither a duration nor a number of seconds/,
    );
  }
  assert.throws(() => read({ timeout: "soon" }), /timeout: is not a duration/);
});

test("what is wrong is refused by the name of its member", () => {
  const scheme = "must start with http:// or https://";
  assert.throws(() => read({ url: "x" }), { message: `url: ${scheme}` });
  assert.throws(() => read({ timeoutUrl: "x" }), { message: `timeoutUrl: ${scheme}` });
  const headers = { timeoutHeaders: { "X-A": 7 } };
  assert.throws(() => read(headers), /^Problem: timeoutHeaders: headers: X-A must be a string/);
});

const KEY = { accountId: "account", runId: "run", createdAt: START_AT, eventId: "e", stepId: 1 };

test("a waiter shows its deadline in seconds, and what follows a timeout", () => {
  const { waiter } = aWait(KEY, 1_500, 499);
  const kept = { ...waiter, createdAt: START_AT };
  const shown = { url: "https://example.test/workflow", deadline: 1, headers: {} };
  const none = { timeoutUrl: undefined, timeoutBody: undefined, timeoutHeaders: undefined };
  assert.deepEqual(waiterJson(kept), { ...shown, ...none });
  const late = { timeoutUrl: "https://late.test", timeoutBody: "b", timeoutHeaders: [] };
  assert.deepEqual(waiterJson({ ...kept, shown: { ...kept.shown, ...late } }), {
    ...shown,
    ...late,
    timeoutHeaders: {},
  });
  assert.deepEqual(notifiedJson(kept, "m"), {
    waiter: { ...shown, ...none },
    messageId: "m",
    workflowRunId: "run",
    workflowCreatedAt: START_AT,
  });
});
