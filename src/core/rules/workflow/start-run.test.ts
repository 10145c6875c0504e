import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, bytes, START_AT } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { aRunState, aStart, aStep, refOf } from "../../../../test/support/runs.ts";
import { RunRows } from "../../../store/group/run-rows.ts";
import { openKey, resultKey, type RunState } from "../../model/workflow/run.ts";
import { DEDUPLICATION_MS } from "../message/deduplication.ts";
import { restartFirstStep, startRun, type StartRunAct } from "./start-run.ts";

function rowsWith(states: readonly RunState[], load: (runs: RunRows) => void = () => {}) {
  const runs = new RunRows(() => []);
  for (const state of states) runs.load(state);
  load(runs);
  return rowsOf({ runs });
}

const decided = (act: StartRunAct, ...states: readonly RunState[]) =>
  startRun.decide(act, rowsWith(states));

const ENDED = { phase: "success", endedAt: START_AT + 5 } as const;

test("a run starts with its payload, and its first message is due", () => {
  const { changes, answer } = decided(aStart());
  assert.deepEqual(
    changes.map(({ type }) => type),
    ["run.added", "run-entry.added", "message.added", "log.added", "line.due"],
  );
  assert.deepEqual(answer, {
    kind: "started",
    messageId: "run-0",
    createdAt: START_AT,
    deduplicated: false,
    leased: false,
  });
});

test("a run that has not ended is not started again", () => {
  const known = aRunState({}, { createdAt: START_AT - 9 });
  const rows = rowsWith([known], (runs) => runs.loadStep(known, "payload", "first"));
  const { changes, answer } = startRun.decide(aStart(), rows);
  assert.deepEqual(changes, []);
  assert.deepEqual(answer, {
    kind: "started",
    messageId: "first",
    createdAt: START_AT - 9,
    deduplicated: true,
    leased: false,
  });
  const { answer: unknown } = decided(aStart(), known);
  assert.equal(unknown.kind === "started" && unknown.messageId, "run-0");
});

const startedAfter = (createdAt: number) => {
  const { answer } = decided(aStart(), aRunState({}, { ...ENDED, createdAt }));
  return answer.kind === "started" && !answer.deduplicated && answer.createdAt;
};

test("one that has ended is followed by another, which is created later", () => {
  assert.equal(startedAfter(START_AT - 9), START_AT);
  assert.equal(startedAfter(START_AT), START_AT + 1);
  assert.equal(startedAfter(START_AT + 7), START_AT + 8);
});

const isRepeated = (deduplicationId: string | undefined, laterMs: number, known = "id") => {
  const ended = aRunState({ deduplicationId: known }, ENDED);
  const at = START_AT + laterMs;
  const act = { ...aStart({ deduplicationId, createdAt: at }), at };
  const { answer } = decided(act, ended);
  return answer.kind === "started" && answer.deduplicated;
};

test("a trigger with the id of one that has ended repeats it for ten minutes", () => {
  assert.equal(isRepeated("id", 0), true);
  assert.equal(isRepeated("id", DEDUPLICATION_MS - 1), true);
  assert.equal(isRepeated("id", DEDUPLICATION_MS), false);
  assert.equal(isRepeated("other", 0), false);
  assert.equal(isRepeated(undefined, 0), false);
});

const INVOKER = {
  ref: refOf("parent"),
  step: aStep(3),
  requested: aMessage({ messageId: "result", kind: "step" }),
  messageId: "opens",
};
const PARENT = aRunState({ runId: "parent" }, { nextOrdinal: 4 });
const INVOKED = aStart({ deduplicationId: "id" }, { invoker: INVOKER });

test("the rows of the invoker and of its step are needed beside those of the run", () => {
  const own = { ref: refOf(), stepKeys: ["payload"] };
  assert.deepEqual(startRun.needs(aStart()), { runs: [own] });
  assert.deepEqual(startRun.needs(INVOKED), {
    runs: [own, { ref: refOf("parent"), stepKeys: [openKey(3), resultKey(3)] }],
  });
});

test("an invoked run opens the step of its invoker, and knows it", () => {
  const { changes, answer } = decided(INVOKED, PARENT);
  assert.equal(answer.kind === "started" && answer.deduplicated, false);
  const [added, , , , , changed, entry] = changes;
  assert.ok(added?.type === "run.added");
  assert.deepEqual(added.run.run.invoker, {
    accountId: "account",
    runId: "parent",
    createdAt: START_AT,
    step: INVOKER.step,
    requested: INVOKER.requested,
  });
  assert.ok(changed?.type === "run.changed" && changed.run.nextOrdinal === 5);
  assert.ok(entry?.type === "run-entry.added");
  const { kind, messageId, stepKey, ordinal, body } = entry.entry;
  assert.deepEqual([kind, messageId, stepKey, ordinal], ["invoke", "opens", "o:3", 4]);
  const { workflowUrl } = INVOKED.run;
  assert.deepEqual(JSON.parse(Buffer.from(body).toString()), {
    ...INVOKER.step,
    invoked: { runId: "run", createdAt: START_AT, workflowUrl },
  });
});

test("a step that was opened, or has its result, invokes nothing again", () => {
  for (const key of [openKey(3), resultKey(3)]) {
    const rows = rowsWith([PARENT], (runs) => runs.loadStep(PARENT, key, "first"));
    const { changes, answer } = startRun.decide(INVOKED, rows);
    assert.deepEqual(changes, [], key);
    assert.ok(answer.kind === "started" && answer.deduplicated && answer.messageId === "first");
  }
});

test("a run that has ended, or is not there, invokes nothing", () => {
  assert.deepEqual(decided(INVOKED), { changes: [], answer: { kind: "ended" } });
  const { answer } = decided(INVOKED, { ...PARENT, ...ENDED });
  assert.deepEqual(answer, { kind: "ended" });
});

test("an id that is in use fails the step that invokes it, and no other", () => {
  const taken = aRunState({ runId: "run", invoker: undefined });
  const { changes } = decided(INVOKED, PARENT, taken);
  const [changed, entry, ...sent] = changes;
  assert.ok(changed?.type === "run.changed" && changed.run.runId === "parent");
  assert.ok(entry?.type === "run-entry.added" && entry.entry.stepKey === resultKey(3));
  const { out } = JSON.parse(Buffer.from(entry.entry.body).toString()) as { out: string };
  assert.deepEqual(JSON.parse(out), { isCanceled: false, isFailed: true });
  assert.ok(sent.some(({ type }) => type === "message.added"));
});

test("an invocation is not taken for a repeated trigger", () => {
  const ended = aRunState({ deduplicationId: "id" }, ENDED);
  const { answer } = decided(INVOKED, PARENT, ended);
  assert.ok(answer.kind === "started" && !answer.deduplicated);
});

test("the redactions of an invoker hold for the run too", () => {
  const redact = { body: true, allHeaders: false, headers: [] };
  const hiding = aRunState({ runId: "parent", redact }, { nextOrdinal: 4 });
  const [added] = decided(INVOKED, hiding).changes;
  assert.ok(added?.type === "run.added" && added.run.run.settings.redact?.body === true);
  const [open] = decided(INVOKED, PARENT).changes;
  assert.ok(open?.type === "run.added" && open.run.run.settings.redact === undefined);
});

test("a first step that is sent again has the endpoint's settings, and is due", () => {
  const requested = aMessage({ messageId: "again", headers: [["X-New", "1"]], notBefore: 1 });
  const act = { rule: "restart-first-step", at: 9, ref: refOf(), requested, nodeId: null } as const;
  const { changes, answer } = restartFirstStep.decide(act, rowsWith([aRunState()]));
  const [restated, added] = changes;
  assert.ok(restated?.type === "run.restated");
  assert.deepEqual(restated.run.run.headers, [["X-New", "1"]]);
  assert.ok(added?.type === "message.added" && added.message.state.readyAt === 9);
  assert.deepEqual(answer, {
    kind: "started",
    messageId: "again",
    createdAt: START_AT,
    deduplicated: false,
    leased: false,
  });
  assert.deepEqual(restartFirstStep.needs(act), { runs: [{ ref: refOf() }] });
  const over = restartFirstStep.decide(act, rowsWith([aRunState({}, ENDED)]));
  assert.deepEqual(over, { changes: [], answer: { kind: "ended" } });
});

test("the body of a start is its payload", () => {
  const mapped = startRun.mapParts(aStart(), { body: () => bytes("other"), facts: (text) => text });
  assert.deepEqual(mapped.payload, bytes("other"));
});
