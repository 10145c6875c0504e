import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, START_AT } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { anItem, aRunState, refOf } from "../../../../test/support/runs.ts";
import { RunRows } from "../../../store/group/run-rows.ts";
import { hookKey, resultKey, type RunState } from "../../model/workflow/run.ts";
import { append, type AppendItem } from "./append.ts";
import { ENTRIES_MAX } from "./run-entries.ts";

const AT = START_AT + 9;
const act = (...items: readonly AppendItem[]) =>
  ({ rule: "append", at: AT, ref: refOf(), items }) as const;

function decided(
  items: readonly AppendItem[],
  state: RunState | null = aRunState(),
  load: (runs: RunRows) => void = () => {},
) {
  const runs = new RunRows(() => []);
  if (state !== null) runs.load(state);
  load(runs);
  const { changes, answer } = append.decide(act(...items), rowsOf({ runs }));
  const entries = changes.flatMap((change) =>
    change.type === "run-entry.added" ? [change.entry] : [],
  );
  const messages = changes.flatMap((change) =>
    change.type === "message.added" ? [change.message] : [],
  );
  return { changes, answer, entries, messages };
}

const submitted = (messageId: string, deduplicated = false) => ({
  messageId,
  deduplicated,
  leased: false,
});
const itemsOf = (answer: ReturnType<typeof decided>["answer"]) =>
  answer.kind === "appended"
    ? answer.items.map(({ facts: _facts, ...rest }) => rest)
    : assert.fail(answer.kind);

test("entries follow each other, and each sends its message", () => {
  const { changes, answer, entries, messages } = decided([anItem("a", 1), anItem("b", 2)]);
  const [changed] = changes;
  assert.ok(changed?.type === "run.changed" && changed.run.nextOrdinal === 4);
  assert.deepEqual(
    entries.map(({ ordinal, messageId, stepKey, at }) => [ordinal, messageId, stepKey, at]),
    [
      [2, "a", resultKey(1), AT],
      [3, "b", resultKey(2), AT],
    ],
  );
  assert.deepEqual(
    messages.map(({ state }) => state.messageId),
    ["a", "b"],
  );
  assert.deepEqual(itemsOf(answer), [submitted("a"), submitted("b")]);
});

test("a call carries its own body, a step none", () => {
  const call = anItem("a", 1, { kind: "call", callBody: bytes("call") });
  const step = anItem("b", 2, { callBody: bytes("not sent") });
  const { messages, entries } = decided([call, step]);
  assert.deepEqual(
    messages.map(({ body }) => Buffer.from(body).toString()),
    ["call", ""],
  );
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ["call", "result"],
  );
});

test("what was submitted before gets the id of the first, within one act too", () => {
  const known = decided([anItem("a", 1)], aRunState(), (runs) =>
    runs.loadStep(aRunState(), resultKey(1), "first"),
  );
  assert.deepEqual(known.changes, []);
  assert.deepEqual(itemsOf(known.answer), [submitted("first", true)]);
  const twice = decided([anItem("a", 1), anItem("b", 1)]);
  assert.deepEqual(itemsOf(twice.answer), [submitted("a"), submitted("a", true)]);
  assert.equal(twice.entries.length, 1);
});

test("a run that has ended, or is not there, takes nothing", () => {
  assert.deepEqual(decided([anItem("a", 1)], null).answer, { kind: "ended" });
  const failed = decided([anItem("a", 1)], aRunState({}, { phase: "failed" }));
  assert.deepEqual([failed.changes, failed.answer], [[], { kind: "ended" }]);
});

test("a run has up to 20,000 entries, and takes all of an act or nothing", () => {
  const state = aRunState({}, { nextOrdinal: ENTRIES_MAX - 1 });
  assert.equal(decided([anItem("a", 1)], state).answer.kind, "appended");
  const { changes, answer } = decided([anItem("a", 1), anItem("b", 2)], state);
  assert.deepEqual([changes, answer], [[], { kind: "too-much", what: "entries" }]);
  assert.equal(ENTRIES_MAX, 20_000);
});

test("a webhook that a step has created is entered once", () => {
  const hooked = anItem("a", 1, { hookId: "event" });
  const { entries, changes } = decided([hooked]);
  assert.deepEqual(
    entries.map(({ ordinal, kind, stepKey, messageId, body }) => [
      ordinal,
      kind,
      stepKey,
      messageId,
      body.byteLength > 0,
    ]),
    [
      [2, "result", resultKey(1), "a", true],
      [3, "hook", hookKey("event"), "", false],
    ],
  );
  const [changed] = changes;
  assert.ok(changed?.type === "run.changed" && changed.run.nextOrdinal === 4);
  const known = decided([hooked], aRunState(), (runs) =>
    runs.loadStep(aRunState(), hookKey("event"), ""),
  );
  assert.deepEqual(
    known.entries.map(({ kind }) => kind),
    ["result"],
  );
  const twice = decided([hooked, anItem("b", 2, { hookId: "event" })]);
  assert.deepEqual(
    twice.entries.map(({ kind }) => kind),
    ["result", "hook", "result"],
  );
});

test("the keys of steps and webhooks are needed", () => {
  const items = [anItem("a", 1), anItem("b", 2, { hookId: "event" })];
  assert.deepEqual(append.needs(act(...items)), {
    runs: [{ ref: refOf(), stepKeys: [resultKey(1), resultKey(2), hookKey("event")] }],
  });
});

test("both bodies of an item are mapped", () => {
  const seen: string[] = [];
  append.mapParts(act(anItem("a", 1, { body: bytes("one"), callBody: bytes("two") })), {
    body: (body) => {
      seen.push(Buffer.from(body).toString());
      return body;
    },
    facts: (facts) => facts,
  });
  assert.deepEqual(seen, ["one", "two"]);
});
