import { mapBody, mapMessage, type Rule } from "../../rule.ts";
import type { Change, NewMessage } from "../../change.ts";
import type { Instant } from "../../model/time.ts";
import type {
  PastTick,
  Schedule,
  ScheduleKey,
  ScheduleSettings,
  SkippedTicks,
} from "../../model/schedule/schedule.ts";
import { readCron } from "../../policy/cron/cron.ts";
import { addMessage } from "../message/publish.ts";

export interface Tick extends ScheduleKey {
  /** As it was read; the tick is void when the version or the next instant has changed. */
  readonly version: string;
  readonly dueAt: Instant;
  readonly nextAt: Instant | null;
  /** Null when only the next instant changes. */
  readonly fired: FiredTick | null;
}

export interface FiredTick {
  readonly messages: readonly NewMessage[];
  /** Earlier ticks that publish nothing. */
  readonly skipped?: SkippedTicks | undefined;
  /** Why there are no messages. */
  readonly error?: string | undefined;
}

/** Passed: it was paused or published nothing. Void: another node fired the tick first. */
export type TickAnswer = "fired" | "passed" | "void";

/** Creates a schedule, or replaces the settings of the one with that id. */
export interface PutScheduleAct {
  readonly rule: "put-schedule";
  readonly at: Instant;
  readonly key: ScheduleKey;
  readonly settings: ScheduleSettings;
  readonly body: Uint8Array;
}

/**
 * Creates a schedule, or replaces all settings of the one with its id. That one keeps its creation
 * time and its pause; it fires next by its new settings. Answers with the limit that refuses it.
 */
export const putSchedule: Rule<PutScheduleAct, { readonly limit: number | null }> = {
  needs: ({ key }) => ({
    accounts: [key.accountId],
    schedules: [key],
    counts: [{ accountId: key.accountId, noun: "schedules" }],
  }),
  decide: ({ at, key, settings, body }, rows) => {
    const known = rows.schedule(key);
    const limit = rows.account(key.accountId)?.limits.schedulesMax ?? 0;
    const count = rows.count({ accountId: key.accountId, noun: "schedules" });
    if (known === null && count >= limit) return { changes: [], answer: { limit } };
    const schedule: Schedule = {
      ...key,
      ...settings,
      createdAt: known?.createdAt ?? at,
      isPaused: known?.isPaused ?? false,
      nextAt: readCron(settings.cron).next(at),
      lastAt: known?.lastAt,
      lastMessageIds: known?.lastMessageIds,
      skipped: known?.skipped,
      lastTicks: known?.lastTicks,
    };
    return { changes: [{ type: "schedule.put", schedule, body }], answer: { limit: null } };
  },
  mapParts: mapBody,
};

export interface RemoveScheduleAct {
  readonly rule: "remove-schedule";
  readonly key: ScheduleKey;
}

/** Messages that it has published are still delivered. Answers whether the schedule existed. */
export const removeSchedule: Rule<RemoveScheduleAct, boolean> = {
  needs: ({ key }) => ({ schedules: [key] }),
  decide: ({ key }, rows) =>
    rows.schedule(key) === null
      ? { changes: [], answer: false }
      : { changes: [{ type: "schedule.removed", key }], answer: true },
};

export interface PauseScheduleAct {
  readonly rule: "pause-schedule";
  readonly at: Instant;
  readonly key: ScheduleKey;
  readonly isPaused: boolean;
}

/** A pause keeps the next instant; resuming does not make up missed ticks. */
export const pauseSchedule: Rule<PauseScheduleAct, boolean> = {
  needs: ({ key }) => ({ schedules: [key] }),
  decide: ({ at, key, isPaused }, rows) => {
    const schedule = rows.schedule(key);
    if (schedule === null) return { changes: [], answer: false };
    if (schedule.isPaused === isPaused) return { changes: [], answer: true };
    const nextAt = isPaused ? schedule.nextAt : readCron(schedule.cron).next(at);
    return { changes: [changed({ ...schedule, isPaused, nextAt })], answer: true };
  },
};

/** Fires due schedules, each at most once. */
export interface TickAct {
  readonly rule: "tick";
  readonly at: Instant;
  /** Of different schedules. */
  readonly ticks: readonly Tick[];
}

/**
 * Publishes the messages of due schedules, each with the schedule's next instant. A second tick of
 * the same schedule finds another next instant, and a tick made from replaced settings another
 * version.
 */
export const tick: Rule<TickAct, readonly TickAnswer[]> = {
  needs: ({ ticks }) => ({ schedules: ticks }),
  decide: ({ at, ticks }, rows) => {
    const changes: Change[] = [];
    const answer = ticks.map((each): TickAnswer => {
      const schedule = rows.schedule(each);
      if (schedule?.version !== each.version || schedule.nextAt !== each.dueAt) return "void";
      const fires = each.fired !== null && !schedule.isPaused;
      changes.push(...(fires ? fire(schedule, each, at) : [changed(passed(schedule, each))]));
      return fires ? "fired" : "passed";
    });
    return { changes, answer };
  },
  mapParts: (act, map) => ({
    ...act,
    ticks: act.ticks.map(({ fired, ...moved }) => {
      const messages = fired?.messages.map((message) => mapMessage(message, map));
      return { ...moved, fired: fired && { ...fired, messages: messages ?? [] } };
    }),
  }),
};

function passed(schedule: Schedule, { nextAt }: Tick): Schedule {
  return { ...schedule, nextAt };
}

function fire(schedule: Schedule, { fired, nextAt }: Tick, at: Instant): Change[] {
  const { messages = [], skipped, error } = fired ?? {};
  const made = messages.length > 0;
  return [
    ...messages.flatMap(addMessage),
    changed({
      ...schedule,
      nextAt,
      lastAt: made ? at : schedule.lastAt,
      lastMessageIds: made ? messages.map(({ state }) => state.messageId) : schedule.lastMessageIds,
      error,
      skipped: skipped ?? schedule.skipped,
      lastTicks: withTick(schedule.lastTicks ?? [], fired, at),
    }),
  ];
}

function withTick(
  before: readonly PastTick[],
  fired: FiredTick | null,
  at: Instant,
): readonly PastTick[] {
  const { messages = [], skipped, error } = fired ?? {};
  const ids = messages.map(({ state }) => state.messageId);
  const past: PastTick = {
    at,
    messageIds: ids.length === 0 ? undefined : ids.slice(0, TICK_IDS_MAX),
    messageCount: ids.length > TICK_IDS_MAX ? ids.length : undefined,
    error,
  };
  const missed = skipped && { at: skipped.lastAt, skippedCount: skipped.count };
  const isTold = ids.length > 0 || error !== undefined;
  const newest = [...(isTold ? [past] : []), ...(missed === undefined ? [] : [missed])];
  return [...newest, ...before].slice(0, LAST_TICKS_MAX);
}

function changed(schedule: Schedule): Change {
  return { type: "schedule.put", schedule, body: null };
}

const LAST_TICKS_MAX = 10;
/** A URL group may have many endpoints, and the row is written with each tick. */
const TICK_IDS_MAX = 10;
