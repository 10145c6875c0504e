import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, START_AT } from "../../../../test/support/messages.ts";
import type { EntryKind, RunEntry, RunHistory } from "../../model/workflow/run.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { aRun, aRunState } from "../../../../test/support/runs.ts";
import { RunRows } from "../../../store/group/run-rows.ts";
import { rerun, type RerunAct, restart, resumption, type RerunHistory } from "./rerun.ts";

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

test("they are sent again in the order in which they were recorded", () => {
  const history = historyOf(["payload"], ["plan", 2, 2], ["plan", 1, 2]);
  assert.deepEqual(ordinals(resumption(history)), [
    [0, 1, 2],
    [1, 2],
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

const LETTER_KEY = { accountId: "account", diedAt: 5, number: 7 };
const OLD = aRunState(
  { runId: "old" },
  { phase: "failed", nextOrdinal: 3, failure: { deadLetter: LETTER_KEY, messageId: "m1" } },
);
const LETTER = {
  ...LETTER_KEY,
  messageId: "m1",
  attempt: 1,
  status: 500,
  cause: "status 500",
  run: { runId: "old", createdAt: START_AT },
};
const { entries: ENTRIES } = historyOf(["payload"], ["result", 1]);
const ACT: RerunAct = {
  rule: "rerun",
  at: START_AT + 9,
  key: LETTER_KEY,
  from: { accountId: "account", runId: "old", createdAt: START_AT },
  nextOrdinal: 3,
  run: aRun({ runId: "new", createdAt: START_AT + 9 }),
  entries: ENTRIES,
  resent: [
    { kind: "step", requested: aMessage({ messageId: "m1" }), ordinal: 1, body: new Uint8Array() },
  ],
};

function rerunOf(act: RerunAct, letters = [LETTER], ...others: (typeof OLD)[]) {
  const runs = new RunRows(() => []);
  for (const state of [OLD, ...others]) runs.load(state);
  return rerun.decide(act, rowsOf({ runs, deadLetters: letters }));
}

test("a new run takes the place of the failed one, which knows it", () => {
  const { changes, answer } = rerunOf(ACT);
  assert.deepEqual(answer, { kind: "rerun", runId: "new", createdAt: START_AT + 9 });
  assert.deepEqual(
    changes.map(({ type }) => type),
    [
      "dead-letter.removed",
      "run.changed",
      "run.added",
      "run-entry.added",
      "run-entry.added",
    ].concat(["message.added", "log.added", "line.due"]),
  );
  const [, changed, added, entry] = changes;
  assert.ok(changed?.type === "run.changed");
  const followedBy = { runId: "new", createdAt: START_AT + 9 };
  assert.deepEqual(changed.run, { ...OLD, failure: { ...OLD.failure, followedBy } });
  assert.ok(added?.type === "run.added" && added.run.nextOrdinal === 2);
  assert.ok(entry?.type === "run-entry.added");
  assert.deepEqual([entry.entry.runId, entry.entry.createdAt], ["new", START_AT + 9]);
});

const refused = (kind: string) => ({ changes: [], answer: { kind } });

test("nothing is made where the letter or the run is gone, has changed, or the id is in use", () => {
  assert.deepEqual(rerunOf(ACT, []), refused("gone"));
  const { run: _run, ...plain } = LETTER;
  assert.deepEqual(rerunOf(ACT, [plain as typeof LETTER]), refused("gone"));
  assert.deepEqual(rerunOf({ ...ACT, from: { ...ACT.from, runId: "x" } }), refused("gone"));
  assert.deepEqual(rerunOf({ ...ACT, nextOrdinal: 2 }), refused("changed"));
  assert.deepEqual(rerunOf(ACT, [LETTER], aRunState({ runId: "new" })), refused("taken"));
  const ended = aRunState({ runId: "new" }, { phase: "success", createdAt: START_AT + 9 });
  const later = rerunOf(ACT, [LETTER], ended).answer;
  assert.deepEqual(later, { kind: "rerun", runId: "new", createdAt: START_AT + 10 });
  assert.deepEqual(rerun.needs(ACT), {
    deadLetters: [LETTER_KEY],
    runs: [{ ref: ACT.from }, { ref: { accountId: "account", runId: "new" } }],
  });
});
