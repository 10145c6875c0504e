import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, aNewMessage, bytes, START_AT } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { anEnd, aRunState, aStep, refOf } from "../../../../test/support/runs.ts";
import { RunRows } from "../../../store/group/run-rows.ts";
import type { Change } from "../../change.ts";
import type { MessageState } from "../../model/message/message.ts";
import { resultKey, type RunState } from "../../model/workflow/run.ts";
import { endRun } from "./end-run.ts";

const INVOKER = {
  accountId: "account",
  runId: "parent",
  createdAt: START_AT,
  step: aStep(3),
  requested: aMessage({ messageId: "asked", kind: "step" }),
};
const PARENT = aRunState({ runId: "parent" }, { nextOrdinal: 4 });
const AT = START_AT + 9;

function decided(
  act: ReturnType<typeof anEnd>,
  states: readonly RunState[],
  messages: readonly MessageState[] = [],
  load: (runs: RunRows) => void = () => {},
) {
  const runs = new RunRows(() => messages);
  for (const state of states) runs.load(state);
  load(runs);
  return endRun.decide(act, rowsOf({ runs }));
}

const typesOf = (changes: readonly Change[]) => changes.map(({ type }) => type);

function outOf(changes: readonly Change[]): unknown {
  const entry = changes.find((change) => change.type === "run-entry.added");
  assert.ok(entry?.type === "run-entry.added");
  const { out, ...step } = JSON.parse(Buffer.from(entry.entry.body).toString()) as { out: string };
  assert.deepEqual(step, INVOKER.step);
  return JSON.parse(out);
}

test("the messages of a run are needed to end it, and the step of its invoker", () => {
  const own = { ref: refOf(), messages: true };
  assert.deepEqual(endRun.needs(anEnd(AT, "success")), { runs: [own] });
  const invoker = { ...refOf("parent"), stepId: 3 };
  assert.deepEqual(endRun.needs(anEnd(AT, "success", { invoker })), {
    runs: [own, { ref: refOf("parent"), stepKeys: [resultKey(3)] }],
  });
});

test("a run that returned keeps its response, a canceled one has none", () => {
  for (const [phase, response] of [
    ["success", bytes('"response"')],
    ["canceled", null],
  ] as const) {
    const { changes, answer } = decided(anEnd(AT, phase), [aRunState()]);
    assert.equal(answer, "ended");
    assert.deepEqual(changes, [
      { type: "run.ended", run: { ...aRunState(), phase, endedAt: AT }, response },
    ]);
  }
});

test("a run that has ended, or is not there, does not end again", () => {
  const absent = { changes: [], answer: "absent" };
  assert.deepEqual(decided(anEnd(AT, "canceled"), []), absent);
  assert.deepEqual(decided(anEnd(AT, "canceled"), [aRunState({}, { phase: "failed" })]), absent);
});

test("what waits to be sent ends with it, an attempt in progress is only not repeated", () => {
  const run = { runId: "run", createdAt: START_AT };
  const waiting = { ...aNewMessage({ messageId: "waiting" }).state, run };
  const active = { ...aNewMessage({ messageId: "active", leasedBy: "node" }).state, run };
  const other = { ...waiting, messageId: "other", run: { ...run, runId: "another" } };
  const { changes } = decided(anEnd(AT, "success"), [aRunState()], [waiting, active, other]);
  assert.deepEqual(typesOf(changes), [
    "run.ended",
    "log.added",
    "message.ended",
    "message.changed",
  ]);
  const changed = changes.at(-1);
  assert.ok(changed?.type === "message.changed");
  assert.deepEqual(changed.state, { ...active, cancelRequested: true });
});

test("the run that waits for it gets its result and is called", () => {
  const act = anEnd(AT, "success");
  const { changes } = decided(act, [aRunState({ invoker: INVOKER }), PARENT]);
  assert.deepEqual(typesOf(changes), [
    "run.ended",
    "run.changed",
    "run-entry.added",
    "message.added",
    "log.added",
    "line.due",
  ]);
  assert.deepEqual(outOf(changes), { body: '"response"', isCanceled: false, isFailed: false });
  const [, changed, entry, added] = changes;
  assert.ok(changed?.type === "run.changed" && changed.run.nextOrdinal === 5);
  assert.ok(entry?.type === "run-entry.added");
  const { messageId, stepKey, ordinal, at } = entry.entry;
  assert.deepEqual([messageId, stepKey, ordinal, at], ["told-parent", resultKey(3), 4, AT]);
  assert.ok(added?.type === "message.added");
  assert.deepEqual(
    [added.message.state.messageId, added.message.state.readyAt],
    ["told-parent", AT],
  );
});

test("without a response there is no body, and a canceled run says so", () => {
  const child = aRunState({ invoker: INVOKER });
  const empty = anEnd(AT, "success", { response: new Uint8Array() });
  assert.deepEqual(outOf(decided(empty, [child, PARENT]).changes), {
    isCanceled: false,
    isFailed: false,
  });
  assert.deepEqual(outOf(decided(anEnd(AT, "canceled"), [child, PARENT]).changes), {
    isCanceled: true,
    isFailed: false,
  });
});

test("an invoker that has failed keeps the result for when it is resumed", () => {
  const failed = { ...PARENT, phase: "failed" as const };
  const { changes } = decided(anEnd(AT, "success"), [aRunState({ invoker: INVOKER }), failed]);
  assert.deepEqual(typesOf(changes), ["run.ended", "run.changed", "run-entry.added"]);
});

const typesAfter = (
  ...more: Parameters<typeof decided> extends [unknown, ...infer Rest] ? Rest : never
) => typesOf(decided(anEnd(AT, "success"), ...more).changes);

test("an invoker that is over, is gone, or has the result, gets none", () => {
  const child = aRunState({ invoker: INVOKER });
  assert.deepEqual(typesAfter([child]), ["run.ended"]);
  for (const phase of ["success", "canceled"] as const) {
    assert.deepEqual(typesAfter([child, { ...PARENT, phase }]), ["run.ended"]);
  }
  const load = (runs: RunRows) => runs.loadStep(PARENT, resultKey(3), "first");
  assert.deepEqual(typesAfter([child, PARENT], [], load), ["run.ended"]);
});
