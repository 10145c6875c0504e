/** The rows of the list of messages, put together from log entries in any order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogEntry } from "../../sdk/src/answers/message.ts";
import { lifeOf } from "../../dashboard/src/message/message-life.ts";
import { type MessageRow, waitingOf, withEntry } from "../../dashboard/src/message/message-row.ts";

const entry = (state: LogEntry["state"], time: number, more: Partial<LogEntry> = {}): LogEntry => ({
  state,
  time,
  messageId: "msg_1",
  url: "https://example.com/a",
  method: "POST",
  maxRetries: 3,
  timeout: 30_000,
  callerIp: "127.0.0.1",
  ...more,
});

const LIFE = [
  entry("CREATED", 10),
  entry("ACTIVE", 11),
  entry("ERROR", 20, {
    attempt: 1,
    attemptStartedAt: 11,
    attemptDurationMs: 9,
    responseStatus: 503,
  }),
  entry("RETRY", 20, { nextDeliveryTime: 500 }),
];

const rowOf = (entries: readonly LogEntry[]): MessageRow =>
  entries.reduce<MessageRow | undefined>((row, each) => withEntry(row, each), undefined)!;

test("the order in which entries arrive does not matter", () => {
  const forth = rowOf(LIFE);
  assert.deepEqual(rowOf(LIFE.toReversed()), forth);
  assert.deepEqual(
    [forth.state, forth.changedAt, forth.nextAt, forth.attempts, forth.attemptsMax, forth.tookMs],
    ["RETRY", 20, 500, 1, 4, 9],
  );
});

test("status and error are those of the newest attempt, whichever entry arrives first", () => {
  const busy = entry("ERROR", 20, { attempt: 1, responseStatus: 503, error: "busy" });
  const refused = entry("ERROR", 30, { attempt: 2, error: "connection refused" });
  const delivered = entry("DELIVERED", 40, { attempt: 3, responseStatus: 200 });
  for (const [life, status, error] of [
    [[busy, refused], null, "connection refused"],
    [[busy, refused, delivered], 200, null],
    // The end tells it where no attempt was read.
    [[entry("FAILED", 50, { responseStatus: 503, error: "busy" })], 503, "503 busy"],
  ] as const) {
    for (const order of [life, life.toReversed()]) {
      const row = rowOf(order);
      assert.deepEqual([row.status, row.error], [status, error]);
    }
  }
});

test("a row that waits says why", () => {
  assert.deepEqual(waitingOf(rowOf(LIFE), [], 100), { reason: "retry", endsAt: 500 });
  const queued = rowOf([entry("CREATED", 10, { queueName: "orders" })]);
  const line = { kind: "queue", name: "orders" } as const;
  const oldest = { messageId: "m", url: "u", createdAt: 0 };
  const full = {
    reason: "queue-full",
    endsAt: null,
    line,
    count: 3,
    isAbout: false,
    oldest,
  } as const;
  assert.equal(waitingOf(queued, [full], 100)?.reason, "queue-full");
  assert.equal(waitingOf(queued, [{ ...full, line: { ...line, name: "other" } }], 100), null);
  assert.equal(waitingOf({ ...queued, nextAt: 900 }, [full], 100)?.reason, "delay");
});

test("the life of a message has its attempts in order, and one that is under way", () => {
  const life = lifeOf(LIFE.toReversed(), { state: "RETRY", maxRetries: 3 });
  assert.deepEqual([life.nextAt, life.attemptsMax], [500, 4]);
  assert.deepEqual(
    life.attempts.map(({ number, outcome, word }) => [number, outcome, word]),
    [[1, "failed", "503"]],
  );
  const sending = lifeOf([entry("ACTIVE", 500), ...LIFE.toReversed()], {
    state: "ACTIVE",
    maxRetries: 3,
  });
  assert.deepEqual(sending.attempts.at(-1)?.outcome, "sending");
});
