import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import * as fc from "fast-check";
import { Page } from "../page.ts";
import { turn } from "../runtime.ts";
import type { ListOptions, LogFilter, Ordered } from "./filters.ts";
import type { LogEntry } from "../answers/message.ts";
import { follow } from "./tail.ts";

/** An entry that is written at one instant and becomes visible at another. */
interface Written {
  readonly messageId: string;
  readonly writtenAt: number;
  readonly seenAt: number;
}

/** A log as the service shows it: in the order of writing. */
class GrowingLog {
  readonly #entries: readonly Written[];

  constructor(entries: readonly Written[]) {
    this.#entries = entries.toSorted((one, other) => one.writtenAt - other.writtenAt);
  }

  list = async (query: LogFilter & ListOptions & Ordered): Promise<Page<LogEntry>> => {
    const { count = 1_000, cursor, order } = query;
    const isEarliestFirst = order === "earliestFirst";
    const all = this.#entries.map((entry, index) => ({ ...entry, index }));
    const after = cursor === undefined ? undefined : Number(cursor);
    const shown = all.filter(
      ({ index, seenAt, messageId }) =>
        seenAt <= Date.now() &&
        (after === undefined || (isEarliestFirst ? index > after : index < after)) &&
        (query.messageId === undefined || query.messageId === messageId),
    );
    const ordered = isEarliestFirst ? shown : shown.toReversed();
    const page = ordered.slice(0, count);
    const next = ordered.length > count ? String(page.at(-1)!.index) : undefined;
    return new Page(page.map(shownEntry), next, () => Promise.reject(new Error("not asked")));
  };
}

/** Instants are whole seconds, so many entries look alike. */
function shownEntry({ messageId, writtenAt }: Written): LogEntry {
  const message = {
    url: "http://x",
    method: "POST",
    maxRetries: 3,
    timeout: 0,
    callerIp: "",
  } as const;
  return { ...message, messageId, time: writtenAt - (writtenAt % 1_000), state: "CREATED" };
}

/** The entries returned within this many seconds. */
async function tell(log: GrowingLog, seconds: number, filter: LogFilter = {}): Promise<LogEntry[]> {
  const controller = new AbortController();
  const told: LogEntry[] = [];
  const ended = (async () => {
    for await (const entry of follow(log.list, filter, controller.signal)) told.push(entry);
  })();
  for (let second = 0; second < seconds; second++) {
    for (let turns = 0; turns < 20; turns++) await turn();
    mock.timers.tick(1_000);
  }
  controller.abort();
  await ended;
  return told;
}

beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 }));
afterEach(() => mock.timers.reset());

const SECONDS = 60;
const LATE_MS_MAX = 9_000;

const writtenEntries = fc.array(
  fc.record({
    messageId: fc.constantFrom("a", "b"),
    afterMs: fc.integer({ min: -5_000, max: (SECONDS - 15) * 1_000 }),
    lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: LATE_MS_MAX })),
  }),
  { maxLength: 500, size: "max" },
);

test("every entry is told once, however late it comes to light and however alike they are", async () => {
  await fc.assert(
    fc.asyncProperty(writtenEntries, async (drawn) => {
      mock.timers.setTime(1_000_000);
      const entries = drawn.map(({ messageId, afterMs, lateMs }) => {
        const writtenAt = 1_000_000 + afterMs;
        // Entries from before the beginning are visible at once.
        return { messageId, writtenAt, seenAt: writtenAt + (afterMs <= 0 ? 0 : lateMs) };
      });
      const expected = entries.filter(({ writtenAt }) => writtenAt > 1_000_000);
      const told = await tell(new GrowingLog(entries), SECONDS);
      assert.deepEqual(texts(told), texts(expected.map(shownEntry)));
    }),
    // Shrinking a failing run takes longer than reading it.
    { numRuns: 25, endOnFailure: true },
  );
});

test("only what the filter asks for is told", async () => {
  const entries = ["a", "b", "a"].map((messageId, n) => {
    const writtenAt = 1_000_000 + 500 * n;
    return { messageId, writtenAt, seenAt: writtenAt };
  });
  const told = await tell(new GrowingLog(entries), 4, { messageId: "b" });
  assert.deepEqual(
    told.map(({ messageId }) => messageId),
    ["b"],
  );
});

test("an error ends it, unless it was to end anyway", async () => {
  await assert.rejects(follow(broken, {}, undefined).next(), /gone/);
  const ended = await follow(broken, {}, AbortSignal.abort()).next();
  assert.equal(ended.done, true);
});

function broken(): Promise<never> {
  return Promise.reject(new Error("gone"));
}

function texts(entries: readonly LogEntry[]): string[] {
  return entries.map((entry) => JSON.stringify(entry)).toSorted();
}
