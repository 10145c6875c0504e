import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aCallback,
  aMessage,
  anAttempt,
  aNewMessage,
  bytes,
  START_AT,
} from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { aRunState, aStep, refOf, type RunFields } from "../../../../test/support/runs.ts";
import { RunRows } from "../../../store/group/run-rows.ts";
import type { Change } from "../../change.ts";
import type { BodyCut } from "../../model/message/attempt.ts";
import type { Message, MessageKind, MessageState } from "../../model/message/message.ts";
import { decodeFacts } from "../../model/message/settings.ts";
import { resultKey, type RunState } from "../../model/workflow/run.ts";
import type { Verdict } from "../message/judge.ts";
import type { FollowUpSource, SettleAct } from "../message/settlement.ts";
import { endsRun, idleAnswer, settledRunNeeds, settleRun } from "./settle-run.ts";

const AT = START_AT + 9;
const POSITION = { runId: "run", createdAt: START_AT, workflowUrl: "https://example.test/w" };
const REF = { ...refOf(), createdAt: START_AT };

function sourceOf(kind: MessageKind, fields: Parameters<typeof aMessage>[0] = {}): FollowUpSource {
  return {
    message: aMessage({ kind, run: { ...POSITION, ordinal: 0 }, ...fields }),
    body: bytes("body"),
    responseBody: bytes("answer"),
    callbackId: "callback",
    failureCallbackId: "failure",
    invokerMessageId: "told-parent",
  };
}

function actOf(source: FollowUpSource, verdict: Verdict, attempt = {}): SettleAct {
  const { accountId, messageId } = source.message;
  return {
    rule: "settle",
    at: AT,
    lease: { accountId, messageId, fence: 1 },
    verdict,
    attempt: anAttempt({ number: 2, status: 500, ...attempt }),
    source,
  };
}

function rowsWith(states: readonly RunState[], messages: readonly MessageState[] = []) {
  const runs = new RunRows(() => messages);
  for (const state of states) runs.load(state);
  runs.loadPayload(aRunState(), bytes("payload"));
  return rowsOf({ runs, deadLetterNumber: 7 });
}

const SENT = ["message.added", "log.added", "line.due"];
const DEAD: Verdict = { kind: "dead" };
const DELIVERED: Verdict = { kind: "delivered" };
const typesOf = (changes: readonly Change[]) => changes.map(({ type }) => type);
const addedIn = (changes: readonly Change[]) =>
  changes.flatMap((change) => (change.type === "message.added" ? [change.message] : []));

test("steps and results of calls end their run, calls and reports do not", () => {
  const kinds = ["step", "call-result", "call", "failure-call", "publish"] as const;
  const ending = kinds.filter((kind) => endsRun(aMessage({ kind })));
  assert.deepEqual(ending, ["step", "call-result"]);
});

test("a failure needs the messages, the payload and the invoker of its run", () => {
  const invoker = { runId: "parent", createdAt: 5, stepId: 3 };
  const invoked = sourceOf("step", { run: { ...POSITION, ordinal: 0, invoker } });
  const failing = { ref: REF, messages: true, payload: true };
  const parent = {
    ref: { accountId: "account", runId: "parent", createdAt: 5 },
    stepKeys: [resultKey(3)],
  };
  assert.deepEqual(settledRunNeeds(invoked, DEAD), [failing, parent]);
  assert.deepEqual(settledRunNeeds(sourceOf("step"), DEAD), [failing]);
  const alone = { ref: REF, messages: false, payload: false };
  assert.deepEqual(settledRunNeeds(invoked, DELIVERED), [alone]);
  assert.deepEqual(settledRunNeeds(sourceOf("call"), DEAD), [alone]);
});

const IDLE: Verdict = { kind: "delivered", idleReason: "nothing came" };
const IF_IDLE: Verdict = { kind: "dead", ifIdle: true };

const sentOf = (messageId: string) => ({
  ...aNewMessage({ messageId }).state,
  run: { runId: "run", createdAt: START_AT },
});

test("a first delivery after which its run has gained nothing is idle", () => {
  const source = sourceOf("step");
  const answer = (verdict: Verdict, more: Partial<RunState>, messages: MessageState[] = []) =>
    idleAnswer(source, verdict, rowsWith([aRunState({}, { nextOrdinal: 1, ...more })], messages));
  assert.equal(answer(IDLE, {}), "idle");
  assert.equal(answer(IDLE, { nextOrdinal: 2 }), null);
  assert.equal(answer(IDLE, { nextOrdinal: 3, storedEvents: 2 }), "idle");
  assert.equal(answer(IDLE, { phase: "success" }), null);
  assert.equal(answer(DELIVERED, {}), null);
  assert.equal(answer(DEAD, {}), null);
  assert.equal(answer({ kind: "retry", readyAt: 1 }, {}), null);
  assert.equal(idleAnswer(null, IDLE, rowsWith([])), null);
  assert.equal(answer(IF_IDLE, {}), null);
  assert.equal(answer(IF_IDLE, { nextOrdinal: 2 }), "gained");
  assert.equal(answer(IF_IDLE, { phase: "canceled" }), "gained");
  assert.equal(answer(IF_IDLE, {}, [sentOf("message")]), null);
  assert.equal(answer(IF_IDLE, {}, [sentOf("message"), sentOf("again")]), "gained");
});

const changedBy = (kind: MessageKind, verdict: Verdict, ...states: RunState[]) => {
  const source = sourceOf(kind);
  return typesOf(settleRun(source, actOf(source, verdict), rowsWith(states)));
};

test("only a call, a report and a failure change the run", () => {
  assert.deepEqual(changedBy("step", DELIVERED, aRunState()), []);
  assert.deepEqual(changedBy("step", DEAD), []);
  assert.deepEqual(changedBy("step", DEAD, aRunState({}, { phase: "failed" })), []);
  assert.deepEqual(changedBy("call", DEAD, aRunState()), []);
  assert.ok(changedBy("step", DEAD, aRunState()).includes("dead-letter.added"));
});

const CALLBACK = aCallback({
  url: "https://result.test",
  headers: [["X-Result", "1"]],
  retries: 1,
});

function resultOf(status: number, responseCut?: BodyCut, attempt = {}) {
  const source = { ...sourceOf("call", { callback: CALLBACK, retries: 5 }), responseCut };
  const verdict = status < 300 ? DELIVERED : DEAD;
  const act = actOf(source, verdict, { status, ...attempt });
  const changes = settleRun(source, act, rowsWith([aRunState({ headers: [] })]));
  const [message] = addedIn(changes);
  const shown = JSON.parse(Buffer.from(message!.body).toString()) as Record<string, unknown>;
  return { changes, message: message!, shown };
}

test("the answer of a call is an entry, and sent to the endpoint as JSON", () => {
  const { changes, message, shown } = resultOf(200);
  assert.deepEqual(typesOf(changes), ["run.changed", "run-entry.added", ...SENT]);
  const [changed, entry] = changes;
  assert.ok(changed?.type === "run.changed" && changed.run.nextOrdinal === 3);
  assert.ok(entry?.type === "run-entry.added");
  const { kind, stepKey, messageId, at, body } = entry.entry;
  assert.deepEqual(
    [kind, stepKey, messageId, at, body.byteLength],
    ["call-result", null, "callback", AT, 0],
  );
  const facts: Message = decodeFacts(message.facts);
  assert.deepEqual(facts.headers, [
    ["Content-Type", "application/json"],
    ["X-Result", "1"],
  ]);
  assert.deepEqual([facts.kind, facts.url, facts.notBefore], ["call-result", CALLBACK.url, AT]);
  assert.deepEqual([shown["status"], shown["retried"], shown["maxRetries"]], [200, 1, 5]);
});

test("a failed call seems to have no retries left", () => {
  for (const [status, maxRetries] of [
    [199, 1],
    [200, 5],
    [299, 5],
    [300, 1],
    [500, 1],
  ] as const) {
    const { shown } = resultOf(status);
    assert.deepEqual([shown["status"], shown["maxRetries"]], [status, maxRetries]);
  }
});

const statusOf = (status: number, cut: BodyCut) => resultOf(status, cut).shown["status"];

test("an answer that was cut is a failure of its own kind", () => {
  assert.deepEqual([statusOf(200, "limit"), statusOf(299, "limit")], [413, 413]);
  assert.equal(statusOf(200, "broken"), 502);
  assert.deepEqual([statusOf(199, "limit"), statusOf(300, "broken")], [199, 300]);
});

test("what a call was given is not passed on to the message with its answer", () => {
  const flowControl = { key: "key", periodMs: 1 };
  const given = { callback: CALLBACK, failureCallback: CALLBACK, flowControl };
  const source = sourceOf("call", given);
  const features = { lazyFetch: false, detectTrigger: false, inheritsSettings: false };
  const state = aRunState({ features });
  const changes = settleRun(source, actOf(source, DELIVERED), rowsWith([state]));
  const { settings } = decodeFacts(addedIn(changes)[0]!.facts);
  assert.deepEqual(
    [settings.callback, settings.failureCallback, settings.flowControl, settings.retries],
    [undefined, undefined, undefined, 1],
  );
});

const failureOf = (messageId: string) => ({
  deadLetter: { diedAt: 5, number: 7 },
  messageId: "step",
  call: { messageId, state: "in-progress" as const },
});

const reported = (verdict: Verdict, headers = "[]", messageId = "message") => {
  const source = sourceOf("failure-call");
  const state = aRunState({}, { phase: "failed", failure: failureOf(messageId) });
  const [changed] = settleRun(source, actOf(source, verdict, { headers }), rowsWith([state]));
  return changed?.type === "run.changed" ? changed.run.failure : undefined;
};

const callIn = (state: string) => ({
  ...failureOf("message"),
  call: { messageId: "message", state },
});

test("the end of a report is kept with the failure", () => {
  assert.deepEqual(reported(DELIVERED), callIn("success"));
  assert.deepEqual(reported(DEAD), callIn("failed"));
  const absent = '[["upstash-workflow-failure-callback-notfound","true"]]';
  assert.deepEqual(reported(DELIVERED, absent), callIn("absent"));
  assert.deepEqual(reported(DELIVERED, absent.replace("upstash", "SVC")), callIn("absent"));
  assert.deepEqual(reported(DEAD, absent), callIn("failed"));
  assert.equal(reported(DELIVERED, "[]", "another"), undefined);
});

const FAILED: RunFields = {
  labels: ["l"],
  failureCallback: aCallback({ url: "https://failed.test", delayMs: 40, headers: [["X-F", "1"]] }),
  invoker: {
    ...REF,
    runId: "parent",
    step: aStep(3),
    requested: aMessage({ messageId: "asked", kind: "step" }),
  },
};

test("a run that fails has a dead letter and one report, and its invoker is told", () => {
  const source = sourceOf("step");
  const parent = aRunState({ runId: "parent" });
  const act = actOf(source, DEAD, { error: "no luck" });
  const changes = settleRun(source, act, rowsWith([aRunState(FAILED), parent]));
  assert.deepEqual(typesOf(changes), [
    "dead-letter.added",
    "run.ended",
    ...SENT,
    "run.changed",
    "run-entry.added",
    ...SENT,
  ]);
  const [letter, ended, , , , , told] = changes;
  assert.ok(letter?.type === "dead-letter.added" && ended?.type === "run.ended");
  const { run, diedAt, number } = letter.deadLetter;
  assert.deepEqual([run, diedAt, number], [{ runId: "run", createdAt: START_AT }, AT, 7]);
  assert.deepEqual([ended.run.phase, ended.run.endedAt, ended.response], ["failed", AT, null]);
  assert.deepEqual(ended.run.failure, {
    deadLetter: { diedAt: AT, number: 7 },
    messageId: "message",
    call: { messageId: "failure", state: "in-progress" },
  });
  assert.ok(told?.type === "run-entry.added");
  const { out } = JSON.parse(Buffer.from(told.entry.body).toString()) as { out: string };
  assert.deepEqual(JSON.parse(out), { isCanceled: false, isFailed: true });
  const [report] = addedIn(changes);
  const facts = decodeFacts(report!.facts);
  assert.deepEqual([facts.run?.detectTrigger, facts.run?.ordinal], [undefined, 2]);
  assert.deepEqual([facts.kind, facts.url], ["failure-call", "https://failed.test"]);
  assert.deepEqual([facts.createdAt, facts.notBefore], [AT, AT + 40]);
  assert.deepEqual(facts.settings.labels, ["l"]);
  assert.deepEqual(facts.headers, [
    ["Content-Type", "application/json"],
    ["X-F", "1"],
  ]);
  const shown = JSON.parse(Buffer.from(report!.body).toString()) as Record<string, unknown>;
  assert.deepEqual(
    [shown["status"], shown["error"], shown["retried"], shown["dlqId"], shown["sourceBody"]],
    [500, "no luck", 1, `${AT}-7`, Buffer.from("payload").toString("base64")],
  );
});

test("without a failure function or URL no report is sent", () => {
  const source = sourceOf("call-result");
  const state = aRunState({ failureCallback: undefined });
  const changes = settleRun(source, actOf(source, DEAD), rowsWith([state]));
  assert.deepEqual(typesOf(changes), ["dead-letter.added", "run.ended"]);
  const [, ended] = changes;
  assert.ok(ended?.type === "run.ended" && ended.run.failure?.call === undefined);
});

test("the other messages of a run that fails are dropped, not the one it fails with", () => {
  const run = { runId: "run", createdAt: START_AT };
  const messages = ["message", "other"].map((messageId) => ({
    ...aNewMessage({ messageId }).state,
    run,
  }));
  const source = sourceOf("step");
  const state = aRunState({ failureCallback: undefined });
  const changes = settleRun(source, actOf(source, DEAD), rowsWith([state], messages));
  const ended = changes.flatMap((change) => (change.type === "message.ended" ? [change.key] : []));
  assert.equal(ended.map(({ messageId }) => messageId).join(), "other");
});
