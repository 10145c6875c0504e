import type { Message, MessageState } from "../../core/model/message/message.ts";
import { lineKind } from "../../core/model/line/line.ts";
import type {
  Wait,
  WaitingGroup,
  WaitingLine,
  WaitingPlaces,
  WaitReason,
} from "../../core/model/line/waiting.ts";
import { shownLine, type WaitingFacts, whyWaiting } from "../../core/views/why-waiting.ts";
import type { Context } from "../context.ts";

/** Messages that wait for the same reason in the same line. */
export interface WaitingRow extends Wait {
  readonly count: number;
  readonly isAbout: boolean;
  /** Null when it has ended in the meantime. */
  readonly oldest: Message | null;
}

interface CountedWait {
  readonly wait: Wait;
  readonly count: number;
  readonly isAbout: boolean;
  readonly oldestId: string;
}

/** The most frequent reason first; partial when there are more lines than were read. */
export async function listWaiting(
  context: Context,
  accountId: string,
): Promise<{ readonly rows: readonly WaitingRow[]; readonly isPartial: boolean }> {
  const { reader, clock } = context.store;
  const { now, aheadMs } = clock.time();
  const [{ lines, isPartial }, { isPaused }] = await Promise.all([
    reader.lines.waiting(accountId, now + aheadMs),
    reader.service.get(),
  ]);
  const found = new Map<string, CountedWait>();
  for (const line of lines) {
    for (const counted of waitsIn(context, accountId, line, now + aheadMs, isPaused)) {
      const { reason, line: name } = counted.wait;
      const key = JSON.stringify([reason, name && shownLine(name)]);
      const known = found.get(key);
      found.set(key, known === undefined ? counted : together(known, counted));
    }
  }
  const busiest = [...found.values()].toSorted((one, other) => other.count - one.count);
  const shown = busiest.slice(0, ROWS_MAX);
  const oldest = await reader.messages.settings(
    accountId,
    shown.map(({ oldestId }) => oldestId),
  );
  const waits = await withHolders(
    context,
    accountId,
    shown.map(({ wait }) => inClockTime(wait, aheadMs)),
  );
  const rows = shown.map(({ count, isAbout }, index) => ({
    ...waits[index]!,
    count,
    isAbout,
    oldest: oldest[index] ?? null,
  }));
  return { rows, isPartial: isPartial || busiest.length > ROWS_MAX };
}

/** Where messages wait for these reasons, by the same lines that `listWaiting` counts. */
export async function waitingPlaces(
  context: Context,
  accountId: string,
  reasons: readonly WaitReason[] | undefined,
): Promise<WaitingPlaces | undefined> {
  if (reasons === undefined) return undefined;
  const { reader, clock } = context.store;
  const time = clock.time();
  const now = time.now + time.aheadMs;
  const [{ lines }, { isPaused }] = await Promise.all([
    reader.lines.waiting(accountId, now),
    reader.service.get(),
  ]);
  const wanted = lines.filter((each) =>
    waitsIn(context, accountId, { ...each, delayed: null, retried: null }, now, isPaused).some(
      ({ wait }) => reasons.includes(wait.reason),
    ),
  );
  return { now, reasons, lines: wanted.map(({ line }) => line) };
}

/** Why one message waits; null when it is about to start. */
export async function waitOf(context: Context, state: MessageState): Promise<Wait | null> {
  const { accountId, line, host, attempts, readyAt } = state;
  const { reader, clock } = context.store;
  const { now, aheadMs } = clock.time();
  const [load, { isPaused }] = await Promise.all([
    reader.lines.load({ accountId, line }),
    reader.service.get(),
  ]);
  const isTried = attempts > 0;
  const wait = whyWaiting({
    now: now + aheadMs,
    isServicePaused: isPaused,
    load,
    line,
    host,
    readyAt,
    isTried,
    obstacle: context.handOver.obstacleFor({ accountId, host, isRetry: isRetry(line) }),
  });
  if (wait === null) return null;
  const [found] = await withHolders(context, accountId, [inClockTime(wait, aheadMs)]);
  return found ?? null;
}

/** Names the messages that hold the slots of full queues and keys. */
async function withHolders(
  { store }: Context,
  accountId: string,
  waits: readonly Wait[],
): Promise<readonly Wait[]> {
  const lines = waits.flatMap((wait) => fullLineOf(wait) ?? []);
  if (lines.length === 0) return waits;
  const found = await store.reader.lines.holders(accountId, lines, HOLDERS_MAX);
  const holders = new Map(lines.map((line, index) => [line, found[index] ?? []]));
  return waits.map((wait) => {
    const line = fullLineOf(wait);
    return line === null ? wait : { ...wait, heldBy: holders.get(line) };
  });
}

function fullLineOf({ reason, line }: Wait): string | null {
  return reason === "queue-full" || reason === "key-parallelism" ? line : null;
}

function waitsIn(
  { handOver }: Context,
  accountId: string,
  waiting: WaitingLine,
  now: number,
  isServicePaused: boolean,
): CountedWait[] {
  const { line, due, delayed, retried } = waiting;
  const counted: CountedWait[] = [];
  const add = (group: WaitingGroup | null, isTried: boolean): void => {
    if (group === null) return;
    const { oldestId, oldestHost: host, readyAt } = group;
    const isDue = group === due;
    const facts: WaitingFacts = {
      now,
      isServicePaused,
      load: waiting,
      line,
      host,
      readyAt,
      isTried,
      obstacle: isDue ? handOver.obstacleFor({ accountId, host, isRetry: isRetry(line) }) : null,
    };
    const wait = whyWaiting(facts);
    const { count, isAbout } = group;
    if (wait !== null) counted.push({ wait, count, isAbout, oldestId });
  };
  add(due, false);
  add(delayed, false);
  add(retried, true);
  return counted;
}

function together(one: CountedWait, other: CountedWait): CountedWait {
  const ends = [one.wait.endsAt, other.wait.endsAt].filter((at) => at !== null);
  return {
    wait: { ...one.wait, endsAt: ends.length === 0 ? null : Math.min(...ends) },
    count: one.count + other.count,
    isAbout: one.isAbout || other.isAbout,
    oldestId: one.oldestId < other.oldestId ? one.oldestId : other.oldestId,
  };
}

function inClockTime(wait: Wait, aheadMs: number): Wait {
  return { ...wait, endsAt: wait.endsAt === null ? null : wait.endsAt - aheadMs };
}

function isRetry(line: string): boolean {
  return lineKind(line) === "retry";
}

const ROWS_MAX = 100;
/** Of each line so many are named. */
const HOLDERS_MAX = 10;
