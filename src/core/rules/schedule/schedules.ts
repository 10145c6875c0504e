import { mapBody, mapMessage } from "../../act-parts.ts";
import type {
  PauseScheduleAct,
  PutScheduleAct,
  RemoveScheduleAct,
  Tick,
  TickAct,
  TickAnswer,
} from "../../acts/schedule.ts";
import type { Change } from "../../change.ts";
import type { Instant } from "../../model/time.ts";
import type { Schedule } from "../../model/schedule/schedule.ts";
import type { Rule } from "../../rule.ts";
import { readCron } from "../../policy/cron/cron.ts";
import { addMessage } from "../message/publish.ts";

/**
 * Creates a schedule, or replaces all settings of the one with its id. That one keeps its creation
 * time and its pause; it fires next by its new settings.
 */
export const putSchedule: Rule<PutScheduleAct> = {
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
    };
    return { changes: [{ type: "schedule.put", schedule, body }], answer: { limit: null } };
  },
  mapParts: mapBody,
};

/** Messages that it has published are still delivered. */
export const removeSchedule: Rule<RemoveScheduleAct> = {
  needs: ({ key }) => ({ schedules: [key] }),
  decide: ({ key }, rows) =>
    rows.schedule(key) === null
      ? { changes: [], answer: false }
      : { changes: [{ type: "schedule.removed", key }], answer: true },
};

/** A pause keeps the next instant; resuming does not make up missed ticks. */
export const pauseSchedule: Rule<PauseScheduleAct> = {
  needs: ({ key }) => ({ schedules: [key] }),
  decide: ({ at, key, isPaused }, rows) => {
    const schedule = rows.schedule(key);
    if (schedule === null) return { changes: [], answer: false };
    if (schedule.isPaused === isPaused) return { changes: [], answer: true };
    const nextAt = isPaused ? schedule.nextAt : readCron(schedule.cron).next(at);
    return { changes: [changed({ ...schedule, isPaused, nextAt })], answer: true };
  },
};

/**
 * Publishes the messages of due schedules, each with the schedule's next instant. A second tick of
 * the same schedule finds another next instant, and a tick made from replaced settings another
 * version.
 */
export const tick: Rule<TickAct> = {
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
    }),
  ];
}

function changed(schedule: Schedule): Change {
  return { type: "schedule.put", schedule, body: null };
}
