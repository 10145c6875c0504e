import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount, aNewMessage, bytes } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { aPutSchedule, aSettings, scheduleKey } from "../../../../test/support/schedules.ts";
import type { Schedule } from "../../model/schedule/schedule.ts";
import { pauseSchedule, putSchedule, removeSchedule, tick, type Tick } from "./schedules.ts";

const MINUTE = 60_000;
const AT = 10 * MINUTE + 1;
const KEY = scheduleKey("daily");
const KNOWN: Schedule = {
  ...KEY,
  ...aSettings(),
  createdAt: 1,
  isPaused: true,
  nextAt: 11 * MINUTE,
  lastAt: 5,
  lastMessageIds: ["m"],
  skipped: { firstAt: 2, lastAt: 3, count: 4 },
  lastTicks: [{ at: 5, messageIds: ["m"] }],
};
const PAST = { at: AT, messageIds: undefined, messageCount: undefined, error: undefined };
const accounts = [anAccount({ overrides: { schedulesMax: 2 } })];

test("a schedule is new, or keeps what is not among its settings", () => {
  const act = aPutSchedule(AT, "daily", { cron: "*/5 * * * *" });
  const { changes, answer } = putSchedule.decide(act, rowsOf({ accounts }));
  assert.deepEqual(answer, { limit: null });
  const [put] = changes;
  assert.ok(put?.type === "schedule.put");
  assert.deepEqual(put.body, bytes("daily"));
  const { createdAt, isPaused, nextAt, lastAt } = put.schedule;
  assert.deepEqual([createdAt, isPaused, nextAt, lastAt], [AT, false, 15 * MINUTE, undefined]);
  const rows = rowsOf({ accounts, schedules: [KNOWN], counts: { schedules: 2 } });
  const [replaced] = putSchedule.decide(act, rows).changes;
  assert.ok(replaced?.type === "schedule.put");
  assert.deepEqual(replaced.schedule, { ...KNOWN, cron: "*/5 * * * *", nextAt: 15 * MINUTE });
});

test("an account has as many schedules as its plan allows", () => {
  const limited = (count: number) =>
    putSchedule.decide(
      aPutSchedule(AT, "daily"),
      rowsOf({ accounts, counts: { schedules: count } }),
    );
  assert.deepEqual(limited(1).answer, { limit: null });
  assert.deepEqual(limited(2), { changes: [], answer: { limit: 2 } });
  const unknown = putSchedule.decide(aPutSchedule(AT, "daily"), rowsOf({}));
  assert.deepEqual(unknown.answer, { limit: 0 });
  assert.deepEqual(putSchedule.needs(aPutSchedule(AT, "daily")), {
    accounts: ["account"],
    schedules: [KEY],
    counts: [{ accountId: "account", noun: "schedules" }],
  });
});

test("one that is there is removed", () => {
  const act = { rule: "remove-schedule", key: KEY } as const;
  assert.deepEqual(removeSchedule.decide(act, rowsOf({})), { changes: [], answer: false });
  assert.deepEqual(removeSchedule.decide(act, rowsOf({ schedules: [KNOWN] })), {
    changes: [{ type: "schedule.removed", key: KEY }],
    answer: true,
  });
  assert.deepEqual(removeSchedule.needs(act), { schedules: [KEY] });
});

test("a pause keeps the next instant, and its end takes the next one from now", () => {
  const paused = (schedule: Schedule | null, isPaused: boolean) =>
    pauseSchedule.decide(
      { rule: "pause-schedule", at: AT + 5 * MINUTE, key: KEY, isPaused },
      rowsOf({ schedules: schedule === null ? [] : [schedule] }),
    );
  assert.deepEqual(paused(null, true), { changes: [], answer: false });
  assert.deepEqual(paused(KNOWN, true), { changes: [], answer: true });
  const resumed = { ...KNOWN, isPaused: false, nextAt: 16 * MINUTE };
  assert.deepEqual(paused(KNOWN, false), {
    changes: [{ type: "schedule.put", schedule: resumed, body: null }],
    answer: true,
  });
  const running = { ...KNOWN, isPaused: false };
  assert.deepEqual(paused(running, true).changes, [
    { type: "schedule.put", schedule: KNOWN, body: null },
  ]);
});

const RUNNING = { ...KNOWN, isPaused: false };
const MESSAGE = aNewMessage({ messageId: "new" });
const TICK: Tick = {
  ...KEY,
  version: "1",
  dueAt: 11 * MINUTE,
  nextAt: 12 * MINUTE,
  fired: { messages: [MESSAGE] },
};
const ticked = (schedule: Schedule | null, more: Partial<Tick> = {}) => {
  const act = { rule: "tick", at: AT, ticks: [{ ...TICK, ...more }] } as const;
  const rows = rowsOf({ schedules: schedule === null ? [] : [schedule] });
  const { changes, answer } = tick.decide(act, rows);
  const put = changes.at(-1);
  return {
    changes,
    answer: answer[0],
    schedule: put?.type === "schedule.put" ? put.schedule : null,
  };
};

test("a tick publishes its messages and moves the schedule on", () => {
  const { changes, answer, schedule } = ticked(RUNNING);
  assert.equal(answer, "fired");
  assert.equal(changes[0]?.type, "message.added");
  assert.deepEqual(schedule, {
    ...RUNNING,
    nextAt: 12 * MINUTE,
    lastAt: AT,
    lastMessageIds: ["new"],
    error: undefined,
    lastTicks: [{ ...PAST, messageIds: ["new"] }, ...KNOWN.lastTicks!],
  });
});

test("one without messages says why, and keeps what was published last", () => {
  const skipped = { firstAt: 7, lastAt: 8, count: 9 };
  const { answer, schedule } = ticked(RUNNING, {
    fired: { messages: [], error: "no luck", skipped },
  });
  assert.equal(answer, "fired");
  const lastTicks = [
    { ...PAST, error: "no luck" },
    { at: 8, skippedCount: 9 },
    ...KNOWN.lastTicks!,
  ];
  const error = "no luck";
  assert.deepEqual(schedule, { ...RUNNING, nextAt: 12 * MINUTE, error, skipped, lastTicks });
});

test("of a tick to many endpoints the first messages are kept with their number", () => {
  const messages = Array.from({ length: 12 }, (_, nth) => aNewMessage({ messageId: `m${nth}` }));
  const [newest] = ticked(RUNNING, { fired: { messages } }).schedule?.lastTicks ?? [];
  assert.deepEqual([newest?.messageIds?.length, newest?.messageCount], [10, 12]);
});

const moved = (schedule: Schedule) => ({ ...schedule, nextAt: 12 * MINUTE });

test("a paused schedule, and a tick that only moves on, publish nothing", () => {
  const paused = ticked(KNOWN);
  assert.deepEqual(
    [paused.answer, paused.changes.length, paused.schedule],
    ["passed", 1, moved(KNOWN)],
  );
  const passing = ticked(RUNNING, { fired: null });
  assert.deepEqual([passing.answer, passing.schedule], ["passed", moved(RUNNING)]);
});

test("a tick of another version, of another instant, or of none, is void", () => {
  for (const gone of [
    ticked(null),
    ticked({ ...RUNNING, version: "2" }),
    ticked({ ...RUNNING, nextAt: 10 * MINUTE }),
  ]) {
    assert.deepEqual([gone.changes, gone.answer], [[], "void"]);
  }
});

test("the messages of a tick are mapped, and one that only moves on stays so", () => {
  const ticks = [TICK, { ...TICK, fired: null }, { ...TICK, fired: { messages: [], error: "e" } }];
  const seen: string[] = [];
  const mapped = tick.mapParts(
    { rule: "tick", at: AT, ticks },
    {
      body: (body) => {
        seen.push(Buffer.from(body).toString());
        return bytes("mapped");
      },
      facts: (facts) => {
        seen.push(facts);
        return "facts";
      },
    },
  );
  assert.deepEqual(seen.toSorted(), ["hello", MESSAGE.facts].toSorted());
  const message = { ...MESSAGE, body: bytes("mapped"), facts: "facts" };
  assert.deepEqual(mapped.ticks, [{ ...TICK, fired: { messages: [message] } }, ticks[1], ticks[2]]);
});
