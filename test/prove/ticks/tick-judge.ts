/** A schedule as it is stored at the end, and what it is made for. */
export interface ProvedSchedule {
  readonly scheduleId: string;
  /** Messages that one tick makes. */
  readonly perTick: number;
  readonly createdAt: number;
  /** Its first instant that is not over; null if it has none. */
  readonly nextAt: number | null;
}

/** Instants of a schedule that were passed over, on record. */
export interface SkippedRecord {
  readonly scheduleId: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface MadeMessage {
  readonly messageId: string;
  readonly scheduleId: string;
  readonly createdAt: number;
}

export interface TicksSeen {
  readonly schedules: readonly ProvedSchedule[];
  readonly skipped: readonly SkippedRecord[];
  readonly messages: readonly MadeMessage[];
  /** Messages whose log says that they were delivered. */
  readonly delivered: ReadonlySet<string>;
  /** Messages that have arrived. */
  readonly arrived: ReadonlySet<string>;
}

/**
 * Whether each due instant of each schedule gave its messages once, or is among those that were
 * passed over. A message belongs to the latest instant before it was made: what is later than the
 * next instant is passed over.
 */
export function faultsOf(seen: TicksSeen, dueOf: (schedule: ProvedSchedule) => number[]): string[] {
  const made = Map.groupBy(seen.messages, ({ scheduleId }) => scheduleId);
  const skipped = Map.groupBy(seen.skipped, ({ scheduleId }) => scheduleId);
  const faults = seen.schedules.flatMap((schedule) => {
    const { scheduleId, perTick } = schedule;
    const due = dueOf(schedule);
    const counts = countByInstant(due, made.get(scheduleId) ?? []);
    const unexpected = counts.get(-Infinity) ?? 0;
    return [
      ...(unexpected > 0 ? [`${scheduleId} fired before it was due`] : []),
      ...due.flatMap((at) => {
        const count = counts.get(at) ?? 0;
        const wasSkipped = (skipped.get(scheduleId) ?? []).some(
          ({ firstAt, lastAt }) => firstAt <= at && at <= lastAt,
        );
        if (count === (wasSkipped ? 0 : perTick)) return [];
        const how = wasSkipped ? "which it skipped" : `and not ${perTick}`;
        return [`${scheduleId} made ${count} at ${new Date(at).toISOString()}, ${how}`];
      }),
    ];
  });
  const known = new Set(seen.schedules.map(({ scheduleId }) => scheduleId));
  return [
    ...faults,
    ...seen.messages
      .filter(({ scheduleId }) => !known.has(scheduleId))
      .map(({ messageId }) => `${messageId} is of no schedule`),
    ...seen.messages
      .filter(({ messageId }) => !seen.delivered.has(messageId) || !seen.arrived.has(messageId))
      .map(({ messageId, scheduleId }) => `${messageId} of ${scheduleId} was not delivered`),
  ];
}

/** How many were made for each instant; those before the first count for minus infinity. */
function countByInstant(
  due: readonly number[],
  messages: readonly MadeMessage[],
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { createdAt } of messages) {
    const at = due.findLast((instant) => instant <= createdAt + CLOCK_MS) ?? -Infinity;
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return counts;
}

/** The minutes after a schedule was made and before its next one. */
export function minutesOf({ createdAt, nextAt }: ProvedSchedule): number[] {
  const minutes: number[] = [];
  const first = Math.floor(createdAt / MINUTE_MS + 1) * MINUTE_MS;
  for (let at = first; at < (nextAt ?? Infinity); at += MINUTE_MS) minutes.push(at);
  return minutes;
}

export const MINUTE_MS = 60_000;
/** A node knows the time of the database to within this much. */
const CLOCK_MS = 50;
