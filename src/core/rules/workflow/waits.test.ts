import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, START_AT } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { aNotify, aRunState, aWait, refOf } from "../../../../test/support/runs.ts";
import { RunRows } from "../../../store/group/run-rows.ts";
import type { Change } from "../../change.ts";
import { hookKey, openKey, resultKey, type RunState } from "../../model/workflow/run.ts";
import type { StoredEvent, Waiter } from "../../model/workflow/waiter.ts";
import { ENTRIES_MAX } from "./run-entries.ts";
import { notify, STORED_EVENTS_MAX, timeOutWait, wait } from "./waits.ts";

const RUN = { accountId: "account", runId: "run", createdAt: START_AT };
const AT = START_AT + 50;
const WAIT = aWait({ ...RUN, eventId: "event", stepId: 3 }, AT);
const HOOK_WAIT = aWait({ ...RUN, eventId: "event", stepId: 3 }, AT, 1_000, "WaitForWebhook");
const ENDED = { changes: [], answer: { kind: "ended" } };

function rowsWith(state: RunState | null, load: (runs: RunRows) => void = () => {}) {
  const runs = new RunRows(() => []);
  if (state !== null) runs.load(state);
  load(runs);
  return rowsOf({ runs });
}

const waiterOf = ({ waiter }: typeof WAIT): Waiter => ({ ...waiter, createdAt: START_AT });
const typesOf = (changes: readonly Change[]) => changes.map(({ type }) => type);
const SENT = ["run-entry.added", "message.added", "log.added", "line.due"] as const;

function bodyOf(changes: readonly Change[]): unknown {
  const [added] = changes.filter((change) => change.type === "run-entry.added").slice(-1);
  assert.ok(added?.type === "run-entry.added");
  return JSON.parse(Buffer.from(added.entry.body).toString());
}

test("a wait needs its step and the events that may end it", () => {
  const stepKeys = [openKey(3), resultKey(3)];
  const need = { ref: refOf(), stepKeys, eventId: "event" };
  assert.deepEqual(wait.needs(WAIT), { runs: [{ ...need, isHook: false }] });
  assert.deepEqual(wait.needs(HOOK_WAIT), { runs: [{ ...need, isHook: true }] });
});

test("a step waits until its deadline", () => {
  const { changes, answer } = wait.decide(WAIT, rowsWith(aRunState()));
  assert.deepEqual(typesOf(changes), ["run.changed", "run-entry.added", "waiter.added"]);
  const [changed, , added] = changes;
  assert.ok(changed?.type === "run.changed" && changed.run.nextOrdinal === 3);
  assert.ok(added?.type === "waiter.added");
  assert.deepEqual(added.waiter, waiterOf(WAIT));
  const { step } = WAIT.waiter;
  assert.deepEqual(bodyOf(changes), { ...step, waitEventId: "event", deadlineAt: AT + 1_000 });
  const submitted = { messageId: "run-wait-3", deduplicated: false, leased: false };
  assert.deepEqual(answer, { kind: "waiting", ...submitted });
});

test("a wait that was submitted, or has its result, is not submitted again", () => {
  for (const key of [openKey(3), resultKey(3)]) {
    const rows = rowsWith(aRunState(), (runs) => runs.loadStep(RUN, key, "first"));
    assert.deepEqual(wait.decide(WAIT, rows), {
      changes: [],
      answer: { kind: "waiting", messageId: "first", deduplicated: true, leased: false },
    });
  }
});

test("a run that has ended, is not there, or has too many entries, waits for nothing", () => {
  assert.deepEqual(wait.decide(WAIT, rowsWith(null)), ENDED);
  assert.deepEqual(wait.decide(WAIT, rowsWith(aRunState({}, { phase: "failed" }))), ENDED);
  const decided = (nextOrdinal: number) =>
    wait.decide(WAIT, rowsWith(aRunState({}, { nextOrdinal })));
  assert.deepEqual(decided(ENTRIES_MAX), {
    changes: [],
    answer: { kind: "too-much", what: "entries" },
  });
  assert.equal(decided(ENTRIES_MAX - 1).answer.kind, "waiting");
});

const EVENT: StoredEvent = { ...RUN, eventId: "event", number: 2, isHook: false, body: bytes("e") };

test("an event that came before the wait ends it at once", () => {
  const state = aRunState({}, { storedEvents: 2 });
  const rows = () => rowsWith(state, (runs) => runs.loadEvent(EVENT));
  const { changes, answer } = wait.decide(WAIT, rows());
  const expected = ["run.changed", "run-entry.added", "event.taken", ...SENT];
  assert.deepEqual(typesOf(changes), expected);
  const [changed] = changes;
  assert.ok(changed?.type === "run.changed");
  assert.deepEqual([changed.run.storedEvents, changed.run.nextOrdinal], [1, 4]);
  const out = Buffer.from("e").toString("base64");
  assert.deepEqual(bodyOf(changes), { ...WAIT.waiter.step, out, waitEventId: "event" });
  assert.deepEqual(answer, {
    kind: "waiting",
    messageId: "run-wait-3",
    deduplicated: false,
    leased: false,
  });
  const leased = wait.decide({ ...WAIT, nodeId: "node" }, rows()).answer;
  assert.ok(leased.kind === "waiting" && leased.leased && leased.messageId === "run-told-3");
});

test("a webhook's wait takes calls of webhooks alone, any other wait none", () => {
  const hook = { ...EVENT, isHook: true };
  const takes = (act: typeof WAIT, event: StoredEvent) =>
    typesOf(
      wait.decide(
        act,
        rowsWith(aRunState(), (runs) => runs.loadEvent(event)),
      ).changes,
    ).includes("event.taken");
  assert.deepEqual([takes(WAIT, EVENT), takes(WAIT, hook)], [true, false]);
  assert.deepEqual([takes(HOOK_WAIT, EVENT), takes(HOOK_WAIT, hook)], [false, true]);
});

test("a notification needs the waiters, a webhook call that the webhook was created too", () => {
  const need = { ref: refOf(), eventId: "event" };
  assert.deepEqual(notify.needs(aNotify(AT, "event")), { runs: [{ ...need, stepKeys: [] }] });
  assert.deepEqual(notify.needs(aNotify(AT, "event", { isHook: true })), {
    runs: [{ ...need, stepKeys: [hookKey("event")] }],
  });
});

test("a waiter that is notified gets its result, and the endpoint is called", () => {
  const waiter = waiterOf(WAIT);
  const rows = rowsWith(aRunState(), (runs) => runs.loadWaiter(waiter));
  const { changes, answer } = notify.decide(aNotify(AT, "event"), rows);
  assert.deepEqual(typesOf(changes), ["waiter.removed", ...SENT, "run.changed"]);
  assert.deepEqual(answer, { notified: [{ waiter, messageId: "told-1" }], kept: 0, refused: 0 });
  const out = Buffer.from("event").toString("base64");
  assert.deepEqual(bodyOf(changes), { ...WAIT.waiter.step, out, waitEventId: "event" });
  const changed = changes.at(-1);
  assert.ok(changed?.type === "run.changed" && changed.run.nextOrdinal === 3);
});

test("as many are notified as there are ids, those before a message if one is named", () => {
  const second = aWait({ ...RUN, eventId: "event", stepId: 4 }, AT);
  const told = (more: Parameters<typeof aNotify>[2]) => {
    const rows = rowsWith(aRunState(), (runs) => {
      for (const act of [WAIT, second]) runs.loadWaiter(waiterOf(act));
    });
    const { answer } = notify.decide(aNotify(AT, "event", more), rows);
    return [answer.notified.map(({ waiter }) => waiter.stepId), answer.kept];
  };
  assert.deepEqual(told({}), [[3, 4], 0]);
  assert.deepEqual(told({ messageIds: ["one"] }), [[3], 0]);
  assert.deepEqual(told({ messageIds: [] }), [[], 0]);
  assert.deepEqual(told({ before: "run-wait-4" }), [[3], 0]);
  assert.deepEqual(told({ before: "run-wait-3" }), [[], 1]);
});

test("each waiter is removed before its result is added, in the order of steps", () => {
  const second = aWait({ ...RUN, eventId: "event", stepId: 4 }, AT);
  const rows = rowsWith(aRunState(), (runs) => {
    for (const act of [WAIT, second]) runs.loadWaiter(waiterOf(act));
  });
  const { changes } = notify.decide(aNotify(AT, "event"), rows);
  const one = ["waiter.removed", ...SENT];
  assert.deepEqual(typesOf(changes), [...one, ...one, "run.changed"]);
  const removed = changes.flatMap((change) =>
    change.type === "waiter.removed" ? [change.key.stepId] : [],
  );
  assert.deepEqual(removed, [3, 4]);
});

test("waiters of webhooks are released by webhook calls alone", () => {
  const released = (act: typeof WAIT, isHook: boolean) => {
    const rows = rowsWith(aRunState(), (runs) => {
      runs.loadWaiter(waiterOf(act));
      runs.loadStep(RUN, hookKey("event"), "");
    });
    return notify.decide(aNotify(AT, "event", { isHook }), rows).answer.notified.length;
  };
  assert.deepEqual([released(WAIT, false), released(WAIT, true)], [1, 0]);
  assert.deepEqual([released(HOOK_WAIT, false), released(HOOK_WAIT, true)], [0, 1]);
});

test("a waiter whose step has its result is removed, not notified", () => {
  const rows = rowsWith(aRunState(), (runs) => runs.loadWaiter(waiterOf(WAIT), "result"));
  const { changes, answer } = notify.decide(aNotify(AT, "event", { isKept: false }), rows);
  assert.deepEqual(typesOf(changes), ["waiter.removed"]);
  assert.deepEqual(answer, { notified: [], kept: 0, refused: 0 });
});

test("where nothing waits the event is stored, if that is asked for", () => {
  const act = aNotify(AT, "event");
  const { changes, answer } = notify.decide(act, rowsWith(aRunState()));
  assert.deepEqual(typesOf(changes), ["event.stored", "run.changed"]);
  const [stored, changed] = changes;
  assert.ok(stored?.type === "event.stored");
  assert.deepEqual(stored.event, { ...EVENT, body: bytes("event") });
  assert.ok(changed?.type === "run.changed");
  assert.deepEqual([changed.run.storedEvents, changed.run.nextOrdinal], [1, 3]);
  assert.deepEqual(answer, { notified: [], kept: 1, refused: 0 });
  const passed = notify.decide({ ...act, isKept: false }, rowsWith(aRunState()));
  assert.deepEqual(passed, { changes: [], answer: { notified: [], kept: 0, refused: 0 } });
});

const toldAfter = (storedEvents: number) =>
  notify.decide(aNotify(AT, "event"), rowsWith(aRunState({}, { storedEvents })));

test("a run stores up to 1,000 events", () => {
  assert.equal(toldAfter(STORED_EVENTS_MAX - 1).answer.kept, 1);
  assert.deepEqual(toldAfter(STORED_EVENTS_MAX), {
    changes: [],
    answer: { notified: [], kept: 0, refused: 1 },
  });
  assert.equal(STORED_EVENTS_MAX, 1_000);
});

test("runs that have ended, or have not created the webhook, refuse an event", () => {
  const refs = [refOf(), refOf("gone")];
  const hook = notify.decide(aNotify(AT, "event", { refs, isHook: true }), rowsWith(aRunState()));
  assert.deepEqual(hook, { changes: [], answer: { notified: [], kept: 0, refused: 2 } });
  const ended = rowsWith(aRunState({}, { phase: "success" }));
  assert.equal(notify.decide(aNotify(AT, "event", { refs }), ended).answer.refused, 2);
  assert.equal(notify.decide(aNotify(AT, "event", { refs }), rowsWith(aRunState())).answer.kept, 1);
});

test("a wait is over at its deadline, in due time", () => {
  const key = { ...RUN, eventId: "event", stepId: 3 };
  const late = (
    at: number,
    dueAt?: number,
    load = (runs: RunRows) => runs.loadWaiter(waiterOf(WAIT)),
  ) =>
    timeOutWait.decide(
      { rule: "time-out-wait", at, dueAt, key, messageId: "late" },
      rowsWith(aRunState(), load),
    );
  const deadlineAt = AT + 1_000;
  const { changes, answer } = late(deadlineAt);
  assert.equal(answer, "timed-out");
  assert.deepEqual(typesOf(changes), ["waiter.removed", "run.changed", ...SENT]);
  const { step } = WAIT.waiter;
  assert.deepEqual(bodyOf(changes), { ...step, waitTimeout: true, waitEventId: "event" });
  const gone = { changes: [], answer: "gone" };
  assert.deepEqual(late(deadlineAt - 1), gone);
  assert.equal(late(deadlineAt - 9, deadlineAt).answer, "timed-out");
  assert.deepEqual(late(deadlineAt, deadlineAt - 1), gone);
  assert.deepEqual(
    late(deadlineAt, undefined, () => {}),
    gone,
  );
  const other = aWait({ ...RUN, eventId: "event", stepId: 4 }, AT);
  assert.deepEqual(
    late(deadlineAt, undefined, (runs) => runs.loadWaiter(waiterOf(other))),
    gone,
  );
  const closed = late(deadlineAt, undefined, (runs) => runs.loadWaiter(waiterOf(WAIT), "result"));
  assert.deepEqual([typesOf(closed.changes), closed.answer], [["waiter.removed"], "gone"]);
});

test("in a run that has ended no wait is over", () => {
  const act = { rule: "time-out-wait", at: AT + 9_999, messageId: "late" } as const;
  const key = { ...RUN, eventId: "event", stepId: 3 };
  const rows = rowsWith(aRunState({}, { phase: "canceled" }), (runs) =>
    runs.loadWaiter(waiterOf(WAIT)),
  );
  assert.deepEqual(timeOutWait.decide({ ...act, key }, rows), { changes: [], answer: "gone" });
  assert.deepEqual(timeOutWait.needs({ ...act, key }), { runs: [{ ref: key, eventId: "event" }] });
});
