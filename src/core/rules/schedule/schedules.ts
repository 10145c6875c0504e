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
import type { Instant } from "../../model/message/message.ts";
import type { Schedule } from "../../model/schedule/schedule.ts";
import type { Rule } from "../../rule.ts";
import { readCron } from "../../policy/cron/cron.ts";
import { addMessage } from "../message/publish.ts";

/**
 * Makes a schedule, or replaces all settings of the one with its id. That one stays as old as it
 * is, and paused if it is; it fires next as its new settings say.
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

/** What it has made already goes on. */
export const removeSchedule: Rule<RemoveScheduleAct> = {
  needs: ({ key }) => ({ schedules: [key] }),
  decide: ({ key }, rows) =>
    rows.schedule(key) === null
      ? { changes: [], answer: false }
      : { changes: [{ type: "schedule.removed", key }], answer: true },
};

/** A pause leaves the next instant as it is; who resumes makes nothing up. */
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
 * Makes the messages of schedules that were due, each with the schedule's next instant. Whoever
 * comes second finds another instant, and one whose settings were replaced another version.
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
    ticks: act.ticks.map(({ fired, ...tick }) => {
      const messages = fired?.messages.map((message) => mapMessage(message, map));
      return { ...tick, fired: fired && { ...fired, messages: messages ?? [] } };
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
