import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, START_AT } from "../../../../test/support/messages.ts";
import type { EntryKind, RunEntry, RunHistory } from "../../model/workflow/run.ts";
import { restart, resumption, type RerunHistory } from "./rerun.ts";

/** Entries by kind, step and how many run in parallel; a call's answer is found by its message. */
function historyOf(...told: [kind: EntryKind, stepId?: number, concurrent?: number][]): RunHistory {
  const entries = told.map(([kind, stepId = 0, concurrent = 1], ordinal): RunEntry => {
    const step =
      kind === "plan" ? { stepId: 0, targetStep: stepId, concurrent } : { stepId, concurrent };
    const body = kind === "call-result" ? "" : JSON.stringify(step);
    return {
      accountId: "account",
      runId: "wfr_1",
      createdAt: START_AT,
      ordinal,
      kind,
      messageId: `m${ordinal}`,
      stepKey: null,
      at: START_AT,
      body: new TextEncoder().encode(body),
    };
  });
  const messages = told.flatMap(([kind, stepId], ordinal) =>
    kind === "call-result"
      ? [
          {
            message: aMessage({
              messageId: `m${ordinal}`,
              headers: [["Upstash-Workflow-StepId", String(stepId)]],
            }),
            body: new Uint8Array(0),
            log: [],
          },
        ]
      : [],
  );
  return { entries, messages, invoked: [] };
}

const ordinals = ({ kept, resent }: RerunHistory) => [
  kept.map(({ ordinal }) => ordinal),
  resent.map(({ ordinal }) => ordinal),
];

test("a new start keeps the payload and sends it", () => {
  assert.deepEqual(ordinals(restart(historyOf(["payload"], ["result", 1]))), [[0], [0]]);
});

test("what was done last is sent again, for the endpoint to do what comes next", () => {
  const history = historyOf(["payload"], ["result", 1], ["result", 2]);
  assert.deepEqual(ordinals(resumption(history)), [[0, 1, 2], [2]]);
});

test("of steps side by side those without a result are done again", () => {
  const history = historyOf(
    ["payload"],
    ["plan", 1, 3],
    ["plan", 2, 3],
    ["plan", 3, 3],
    ["result", 2, 3],
  );
  assert.deepEqual(ordinals(resumption(history)), [
    [0, 1, 2, 3, 4],
    [1, 3],
  ]);
});

test("when all of them have a result, the last result is sent again", () => {
  const history = historyOf(
    ["payload"],
    ["plan", 1, 2],
    ["plan", 2, 2],
    ["result", 2, 2],
    ["result", 1, 2],
  );
  assert.deepEqual(ordinals(resumption(history)), [[0, 1, 2, 3, 4], [4]]);
});

test("what was waited for is asked for anew", () => {
  for (const kind of ["wait", "invoke", "call"] as const) {
    const history = historyOf(["payload"], ["result", 1], [kind, 2]);
    assert.deepEqual(ordinals(resumption(history)), [[0, 1], [1]], kind);
    const beside = historyOf(["payload"], ["plan", 1, 2], ["plan", 2, 2], [kind, 2, 2]);
    assert.deepEqual(
      ordinals(resumption(beside)),
      [
        [0, 1, 2],
        [1, 2],
      ],
      kind,
    );
  }
});

test("a call that was answered is not made again", () => {
  const history = historyOf(["payload"], ["call", 1], ["call-result", 1]);
  assert.deepEqual(ordinals(resumption(history)), [[0, 1, 2], [2]]);
});

test("a step that was waited for and has its result is kept as it is", () => {
  const history = historyOf(["payload"], ["invoke", 1], ["result", 1]);
  assert.deepEqual(ordinals(resumption(history)), [[0, 1, 2], [2]]);
});
