import type { LogState } from "../../core/model/message/log-entry.ts";
import type { Schedule } from "../../core/model/schedule/schedule.ts";
import type { TypeOf } from "../json/schema.ts";
import type { SCHEDULE } from "./schedule-schemas.ts";
import { contentJson, settingsJson } from "../message/message.ts";

/** A schedule with the states of its last messages. */
export interface ShownSchedule {
  readonly schedule: Schedule;
  readonly body: Uint8Array;
  readonly lastStates: Readonly<Record<string, LogState>>;
}

/** A schedule as the API shows it, redacted as its creator asked. */
export function scheduleJson({
  schedule,
  body,
  lastStates,
}: ShownSchedule): TypeOf<typeof SCHEDULE> {
  const { options, skipped, callerIp } = schedule;
  const { maxRetries: retries, ...settings } = settingsJson(options.settings);
  return {
    scheduleId: schedule.scheduleId,
    cron: schedule.cron,
    createdAt: schedule.createdAt,
    destination: schedule.destination,
    method: options.method ?? "POST",
    ...contentJson({ ...options, callerIp }, body),
    ...settings,
    retries,
    delay: secondsOf(options.delayMs),
    timeout: secondsOf(options.settings.timeoutMs),
    queueName: schedule.queueName,
    isPaused: schedule.isPaused,
    lastScheduleTime: schedule.lastAt,
    nextScheduleTime: schedule.nextAt ?? undefined,
    lastScheduleStates: schedule.lastMessageIds && statesJson(lastStates),
    error: schedule.error,
    skipped: skipped && {
      count: skipped.count,
      firstScheduleTime: skipped.firstAt,
      lastScheduleTime: skipped.lastAt,
    },
  };
}

function statesJson(lastStates: Readonly<Record<string, LogState>>) {
  const states = Object.entries(lastStates);
  return Object.fromEntries(states.map(([messageId, state]) => [messageId, STATES[state]]));
}

const STATES: Readonly<Record<LogState, "IN_PROGRESS" | "SUCCESS" | "FAIL">> = {
  CREATED: "IN_PROGRESS",
  ACTIVE: "IN_PROGRESS",
  RETRY: "IN_PROGRESS",
  ERROR: "IN_PROGRESS",
  CANCEL_REQUESTED: "IN_PROGRESS",
  DELIVERED: "SUCCESS",
  FAILED: "FAIL",
  CANCELED: "FAIL",
};

function secondsOf(durationMs: number | undefined): number | undefined {
  return durationMs === undefined ? undefined : Math.ceil(durationMs / 1_000);
}
