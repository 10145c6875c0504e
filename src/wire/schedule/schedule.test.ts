import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes } from "../../../test/support/messages.ts";
import { aSettings, scheduleKey } from "../../../test/support/schedules.ts";
import { LOG_STATES, type LogState } from "../../core/model/message/log-entry.ts";
import type { Schedule } from "../../core/model/schedule/schedule.ts";
import { readQueueRequest } from "../line/queue.ts";
import { waitingJson } from "../line/waiting.ts";
import { aMessage } from "../../../test/support/messages.ts";
import { readCronPreview, readScheduleRequest, scheduleJson } from "./schedule.ts";

const BARE: Schedule = {
  ...scheduleKey("daily"),
  ...aSettings(),
  createdAt: 1,
  isPaused: false,
  nextAt: null,
};
const shown = (schedule: Schedule, lastStates: Record<string, LogState> = {}) =>
  JSON.parse(
    JSON.stringify(scheduleJson({ schedule, body: bytes("body"), lastStates, showsTicks: false })),
  ) as object;

test("a schedule shows its settings, and what it has done", () => {
  const bare = {
    scheduleId: "daily",
    cron: "* * * * *",
    createdAt: 1,
    destination: "https://example.test/hook",
    method: "POST",
    header: { "Content-Type": ["text/plain"] },
    body: "body",
    callerIP: "192.0.2.1",
    callerIp: "192.0.2.1",
    retries: 3,
    isPaused: false,
  };
  assert.deepEqual(shown(BARE), bare);
  const full: Schedule = {
    ...BARE,
    options: {
      ...BARE.options,
      method: "PUT",
      delayMs: 1_001,
      settings: { retries: 3, timeoutMs: 30_000 },
    },
    queueName: "queue",
    isPaused: true,
    nextAt: 9,
    lastAt: 8,
    lastMessageIds: ["m"],
    error: "no luck",
    skipped: { count: 2, firstAt: 3, lastAt: 4 },
  };
  assert.deepEqual(shown(full, { m: "DELIVERED" }), {
    ...bare,
    method: "PUT",
    delay: 2,
    timeout: 30,
    queueName: "queue",
    isPaused: true,
    lastScheduleTime: 8,
    nextScheduleTime: 9,
    lastScheduleStates: { m: "SUCCESS" },
    error: "no luck",
    skipped: { count: 2, firstScheduleTime: 3, lastScheduleTime: 4 },
  });
});

test("past ticks show their messages with those states that are kept", () => {
  const lastTicks = [
    { at: 9, messageIds: ["a", "b"], messageCount: 12 },
    { at: 8, messageIds: ["gone"] },
    { at: 7, error: "no luck" },
    { at: 6, skippedCount: 3 },
  ];
  const ticked = { schedule: { ...BARE, lastTicks }, body: bytes(""), showsTicks: true };
  const json = scheduleJson({ ...ticked, lastStates: { a: "DELIVERED", b: "RETRY" } });
  assert.deepEqual(JSON.parse(JSON.stringify(json.lastTicks)), [
    { time: 9, states: { a: "SUCCESS", b: "IN_PROGRESS" }, messageCount: 12 },
    { time: 8, states: {} },
    { time: 7, error: "no luck" },
    { time: 6, skippedCount: 3 },
  ]);
  const bare = scheduleJson({ ...ticked, schedule: BARE, lastStates: {} });
  assert.deepEqual(bare.lastTicks, []);
});

test("a message of the last tick is in progress until it has ended", () => {
  const lastStates = Object.fromEntries(LOG_STATES.map((state) => [state, state]));
  const { lastScheduleStates } = scheduleJson({
    schedule: { ...BARE, lastMessageIds: [...LOG_STATES] },
    body: bytes(""),
    lastStates,
    showsTicks: false,
  });
  const ended = Object.entries(lastScheduleStates!).filter(([, state]) => state !== "IN_PROGRESS");
  assert.deepEqual(Object.fromEntries(ended), {
    DELIVERED: "SUCCESS",
    FAILED: "FAIL",
    CANCELED: "FAIL",
  });
});

const requestOf = (...raw: string[]) => readScheduleRequest(raw, [], {});

test("a request names its expression, and may name its id and queue", () => {
  const { cron, scheduleId, queueName } = requestOf("Svc-Cron", "@daily");
  assert.deepEqual([cron, scheduleId, queueName], ["@daily", null, undefined]);
  const named = requestOf("Svc-Cron", "@daily", "Svc-Schedule-Id", "a", "Svc-Queue-Name", "q");
  assert.deepEqual([named.scheduleId, named.queueName], ["a", "q"]);
  assert.throws(() => requestOf("Upstash-Retries", "3"), /Upstash-Cron: must be given/);
  assert.throws(() => requestOf(), /Svc-Cron: must be given/);
});

test("a preview has five times, or up to a hundred", () => {
  assert.equal(readCronPreview("cron=@daily").count, 5);
  assert.equal(readCronPreview("cron=@daily&count=100").count, 100);
  assert.throws(() => readCronPreview("cron=@daily&count=101"), /count: must be from 1 to 100/);
  assert.throws(() => readCronPreview("count=5"), /cron: must be given/);
});

const read = (value: object) => readQueueRequest(bytes(JSON.stringify(value)));

test("a queue has a name, one slot and no pause, unless it says so", () => {
  assert.deepEqual(read({ queueName: "q" }), { queueName: "q", parallelism: 1, paused: false });
  assert.equal(read({ queueName: "q", parallelism: 1_000_000 }).parallelism, 1_000_000);
  assert.throws(
    () => read({ queueName: "q", parallelism: 1_000_001 }),
    /parallelism: must be at most/,
  );
  assert.throws(() => read({ queueName: "q", parallelism: 0 }), /parallelism: must be at least 1/);
  assert.equal(read({ queueName: "q".repeat(128) }).queueName.length, 128);
  for (const queueName of ["", "a b", "q".repeat(129)]) {
    assert.throws(() => read({ queueName }), /queueName: must be 1 to 128 letters/);
  }
});

test("what waits is counted by its reason, with the oldest of it", () => {
  const row = { reason: "delay", endsAt: null, count: 2, isAbout: true } as const;
  const { messageId, url, createdAt } = aMessage();
  const waiting = waitingJson({
    rows: [
      { ...row, line: "q:queue", oldest: aMessage() },
      { ...row, line: null, oldest: null },
    ],
    isPartial: true,
  });
  assert.deepEqual(JSON.parse(JSON.stringify(waiting)), {
    reasons: [
      { ...row, line: { kind: "queue", name: "queue" }, oldest: { messageId, url, createdAt } },
      { ...row, oldest: null },
    ],
    isPartial: true,
  });
});
