import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, START_AT } from "../../../../test/support/messages.ts";
import { aRun, type RunFields } from "../../../../test/support/runs.ts";
import type { Change, NewMessage } from "../../change.ts";
import { decodeFacts } from "../../model/message/settings.ts";
import type { Message } from "../../model/message/message.ts";
import type { Run, RunState } from "../../model/workflow/run.ts";
import { addRunMessage, type NewRunMessage } from "./run-message.ts";

const NO_FEATURES = { lazyFetch: false, detectTrigger: false, inheritsSettings: false };

function stateOf(fields: RunFields = {}, bytes = 100): RunState {
  const run = aRun(fields);
  const { accountId, runId, createdAt } = run;
  return {
    accountId,
    runId,
    createdAt,
    phase: "started",
    nextOrdinal: 3,
    bytes,
    storedEvents: 0,
    endedAt: null,
    failure: null,
    run,
  };
}

function mailed(state: RunState, more: Partial<NewRunMessage> = {}): NewMessage {
  const own = aMessage({ messageId: "msg", headers: [["X-Step", "1"]], retries: 9 });
  const { changes } = addRunMessage(state, {
    kind: "step",
    requested: own,
    ordinal: 2,
    nodeId: null,
    ...more,
  });
  const added = changes.find((change) => change.type === "message.added") as Extract<
    Change,
    { type: "message.added" }
  >;
  return added.message;
}

function leased(state: RunState, own: Message): boolean {
  return addRunMessage(state, { kind: "step", requested: own, ordinal: 1, nodeId: "node" }).leased;
}

const messageOf = ({ facts }: NewMessage): Message => decodeFacts(facts);

test("settings of the trigger hold for every later message", () => {
  const flowControl = { key: "k", periodMs: 1_000, parallelism: 1 };
  const run = { retries: 1, retryDelay: "5", timeoutMs: 7, flowControl, labels: ["l"] };
  const { settings, headers } = messageOf(mailed(stateOf(run)));
  assert.deepEqual(
    [settings.retries, settings.retryDelay, settings.timeoutMs, settings.labels],
    [1, "5", 7, ["l"]],
  );
  assert.deepEqual(settings.flowControl, flowControl);
  assert.deepEqual(headers, [
    ["X-Own", "yes"],
    ["X-Step", "1"],
  ]);
});

test("a header of the message replaces that of the run", () => {
  const own = aMessage({ headers: [["x-own", "mine"]] });
  assert.deepEqual(messageOf(mailed(stateOf(), { requested: own })).headers, [["x-own", "mine"]]);
});

test("without the feature each message stands on its own", () => {
  const message = messageOf(mailed(stateOf({ features: NO_FEATURES, labels: ["l"] })));
  assert.equal(message.settings.retries, 9);
  assert.deepEqual(message.headers, [["X-Step", "1"]]);
  assert.deepEqual(message.settings.labels, ["l"]);
});

test("a call inherits nothing but the labels", () => {
  const message = messageOf(mailed(stateOf({ labels: ["l"] }), { kind: "call" }));
  assert.deepEqual([message.settings.retries, message.settings.labels], [9, ["l"]]);
  assert.deepEqual(message.headers, [["X-Step", "1"]]);
});

test("the result of a call does not look like a step", () => {
  const headers: Run["headers"] = [
    ["Upstash-Workflow-Sdk-Version", "1"],
    ["Svc-Workflow-Sdk-Version", "1"],
    ["X-Own", "yes"],
  ];
  const message = messageOf(mailed(stateOf({ headers }), { kind: "call-result" }));
  assert.deepEqual(message.headers, [
    ["X-Own", "yes"],
    ["X-Step", "1"],
  ]);
});

test("it is leased at once when nothing holds it back", () => {
  const own = aMessage();
  assert.equal(leased(stateOf(), own), true);
  assert.equal(leased(stateOf(), { ...own, notBefore: START_AT + 1 }), false);
  const flowControl = { key: "k", periodMs: 1_000 };
  assert.equal(leased(stateOf({ flowControl }), own), false);
  assert.equal(mailed(stateOf({ flowControl }), { nodeId: "node" }).state.phase, "waiting");
});

test("without a node it waits, and only a leased message is handed on", () => {
  const own = { kind: "step", requested: aMessage(), ordinal: 1 } as const;
  const { leased: isLeased, facts } = addRunMessage(stateOf(), { ...own, nodeId: null });
  assert.deepEqual([isLeased, facts], [false, undefined]);
  const sent = addRunMessage(stateOf(), { ...own, nodeId: "node" });
  const [added] = sent.changes;
  assert.ok(added?.type === "message.added" && added.message.state.phase === "active");
  assert.equal(sent.facts, added.message.facts);
});

test("what an endpoint fetches takes up nothing while it is sent", () => {
  const large = 4 * 1024 * 1024;
  const lazy = { ...NO_FEATURES, lazyFetch: true };
  assert.equal(mailed(stateOf({ features: lazy }, large)).state.bytes, 0);
  assert.equal(mailed(stateOf({ features: NO_FEATURES }, large)).state.bytes, large);
  assert.equal(mailed(stateOf({ features: lazy }, 100)).state.bytes, 100);
  const sentMax = 3 * 1024 * 1024;
  assert.equal(mailed(stateOf({ features: lazy }, sentMax)).state.bytes, sentMax);
  assert.equal(mailed(stateOf({ features: lazy }, sentMax + 1)).state.bytes, 0);
  const call = mailed(stateOf(), { kind: "call", body: new Uint8Array(7) });
  assert.deepEqual([call.state.bytes, call.body.byteLength], [7, 7]);
});

test("only the first delivery must come from a workflow", () => {
  const detects = [0, 1].map(
    (ordinal) => messageOf(mailed(stateOf(), { ordinal })).run?.detectTrigger,
  );
  assert.deepEqual(detects, [true, undefined]);
});
