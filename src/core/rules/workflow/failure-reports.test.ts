import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, aNewMessage, bytes, START_AT } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { aRunState } from "../../../../test/support/runs.ts";
import { RunRows } from "../../../store/group/run-rows.ts";
import type { DeadLetter } from "../../model/message/dead-letter.ts";
import type { FailureCall } from "../../model/workflow/run.ts";
import { cancelReport, retryReport } from "./failure-reports.ts";

const KEY = { accountId: "account", diedAt: 5, number: 7 };
const FROM = { accountId: "account", runId: "run", createdAt: START_AT };
const LETTER: DeadLetter = {
  ...KEY,
  messageId: "step",
  attempt: 1,
  status: 500,
  cause: "status 500",
  run: { runId: "run", createdAt: START_AT },
};
const FAILURE = { deadLetter: KEY, messageId: "step" };

function rowsWith(call: FailureCall | undefined, letter: DeadLetter = LETTER) {
  const runs = new RunRows(() => []);
  runs.load(aRunState({}, { phase: "failed", failure: { ...FAILURE, call } }));
  const { state } = aNewMessage({ messageId: "report" });
  return rowsOf({ runs, deadLetters: [letter], messages: [state] });
}

const requested = aMessage({ messageId: "again", kind: "failure-call" });
const RETRY = {
  rule: "retry-report",
  at: 9,
  key: KEY,
  from: FROM,
  requested,
  body: bytes("b"),
} as const;
const CANCEL = { rule: "cancel-report", at: 9, key: KEY, from: FROM, messageId: "report" } as const;
const report = (state: FailureCall["state"], messageId = "report"): FailureCall => ({
  messageId,
  state,
});
const callOf = (changes: readonly unknown[]) =>
  (changes[0] as { run: { failure: { call: FailureCall; messageId: string } } }).run.failure;

test("a report that has failed is sent again, and is in progress", () => {
  const { changes, answer } = retryReport.decide(RETRY, rowsWith(report("failed")));
  assert.equal(answer, "done");
  assert.deepEqual(callOf(changes), { ...FAILURE, call: report("in-progress", "again") });
  assert.deepEqual(
    changes.map(({ type }) => type),
    ["run.changed", "message.added", "log.added", "line.due"],
  );
  assert.deepEqual(retryReport.needs(RETRY), { deadLetters: [KEY], runs: [{ ref: FROM }] });
});

test("any other report is not sent again", () => {
  for (const state of ["in-progress", "success", "cancelled", "absent"] as const) {
    const decision = retryReport.decide(RETRY, rowsWith(report(state)));
    assert.deepEqual(decision, { changes: [], answer: "refused" }, state);
  }
  assert.equal(retryReport.decide(RETRY, rowsWith(undefined)).answer, "refused");
});

test("a report in progress is stopped with its message", () => {
  const { changes, answer } = cancelReport.decide(CANCEL, rowsWith(report("in-progress")));
  assert.equal(answer, "done");
  assert.deepEqual(callOf(changes).call, report("cancelled"));
  assert.deepEqual(
    changes.map(({ type }) => type),
    ["run.changed", "log.added", "message.ended"],
  );
  assert.deepEqual(cancelReport.needs(CANCEL), {
    deadLetters: [KEY],
    runs: [{ ref: FROM }],
    messages: [{ accountId: "account", messageId: "report" }],
  });
});

test("one that has ended, has another message, or none, is not stopped", () => {
  const refused = { changes: [], answer: "refused" };
  assert.deepEqual(cancelReport.decide(CANCEL, rowsWith(report("failed"))), refused);
  assert.deepEqual(cancelReport.decide(CANCEL, rowsWith(report("in-progress", "other"))), refused);
  assert.deepEqual(cancelReport.decide(CANCEL, rowsWith(undefined)), refused);
  const gone = { ...CANCEL, messageId: "gone" };
  assert.deepEqual(cancelReport.decide(gone, rowsWith(report("in-progress", "gone"))), refused);
});

test("without the dead letter of a run, or the run, there is nothing to report", () => {
  const { run: _run, ...plain } = LETTER;
  const gone = { changes: [], answer: "gone" };
  const elsewhere = { ...FROM, runId: "other" };
  assert.deepEqual(retryReport.decide(RETRY, rowsWith(report("failed"), plain)), gone);
  assert.deepEqual(cancelReport.decide(CANCEL, rowsWith(report("in-progress"), plain)), gone);
  const rows = rowsWith(report("failed"));
  assert.deepEqual(retryReport.decide({ ...RETRY, key: { ...KEY, number: 8 } }, rows), gone);
  assert.deepEqual(retryReport.decide({ ...RETRY, from: elsewhere }, rows), gone);
});
