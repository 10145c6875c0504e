import type { LogState } from "../../core/model/message/log-entry.ts";
import type { PastTick, Schedule } from "../../core/model/schedule/schedule.ts";
import {
  inlineObject,
  choice,
  flag,
  instant,
  list,
  object,
  type Schema,
  text,
  type TypeOf,
  integer,
} from "../json/schema.ts";
import { CONTENT_MEMBERS, METHOD, RETRIES, SETTING_MEMBERS } from "../message/message-schemas.ts";
import { contentJson, settingsJson } from "../message/message.ts";
import { prefixed } from "../../core/model/message/dialect.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import {
  countUpTo,
  ID_PAGE_ROWS,
  type IdPage,
  readParameters,
  single,
} from "../filters/filter-parameters.ts";
import { type Aliases, readHeaders } from "../headers/header-reading.ts";
import { invalidRequest, parseBoolean } from "../headers/header-value.ts";
import { type Cron, readCron } from "../../core/policy/cron/cron.ts";
import { optionsOf, type PublishDefaults } from "../message/publish.ts";

const SCHEDULE_ID = text("The id of the schedule.", "daily-report");

const LAST_STATES: Schema<Readonly<Record<string, "IN_PROGRESS" | "SUCCESS" | "FAIL">>> = {
  type: "object",
  description: "The messages of the last tick, each with its state.",
  additionalProperties: choice(["IN_PROGRESS", "SUCCESS", "FAIL"]),
};

export const SCHEDULE_TICK = object(
  "ScheduleTick",
  { time: instant("When it was.") },
  {
    states: { ...LAST_STATES, description: "Its messages with their states, the first ten." },
    messageCount: integer("How many messages it has published, when there are more."),
    error: text("Why it published nothing."),
    skippedCount: integer("Ticks that no node was there for; this is the last of them."),
  },
);

const SKIPPED = inlineObject({
  count: integer("How many."),
  firstScheduleTime: instant("The first of them."),
  lastScheduleTime: instant("The last of them."),
});

export const SCHEDULE = object(
  "Schedule",
  {
    scheduleId: SCHEDULE_ID,
    cron: text("When it fires.", "CRON_TZ=Europe/Berlin 0 9 * * 1-5"),
    createdAt: instant("When it was created."),
    destination: text("A URL, or the name of a URL group.", "https://example.com/report"),
    method: METHOD,
    ...CONTENT_MEMBERS[0],
    isPaused: flag("It publishes nothing.", false),
  },
  {
    ...CONTENT_MEMBERS[1],
    retries: RETRIES,
    delay: integer("Delay of each message, in seconds."),
    timeout: integer("Longest time of one attempt, in seconds."),
    queueName: text("The queue that it publishes through."),
    ...SETTING_MEMBERS,
    lastScheduleTime: instant("When it last published."),
    nextScheduleTime: instant("When it publishes next."),
    lastScheduleStates: LAST_STATES,
    error: text("Why the last tick published nothing."),
    skipped: { ...SKIPPED, description: "The latest ticks that no node was there for." },
    lastTicks: list(
      SCHEDULE_TICK,
      "The last ten, the newest first; in a list of schedules only with `ticks=true`.",
    ),
  },
);

export const SCHEDULES = list(SCHEDULE);
export const CREATED_SCHEDULE = object("CreatedSchedule", { scheduleId: SCHEDULE_ID });
export const CRON_TIMES = object("CronTimes", {
  times: list(instant("A time at which the expression fires.")),
});

export interface ShownSchedule {
  readonly schedule: Schedule;
  readonly body: Uint8Array;
  /** Of the messages of its last tick, or of its last ticks. */
  readonly lastStates: Readonly<Record<string, LogState>>;
  readonly showsTicks: boolean;
}

/** A schedule as the API shows it, redacted as its creator asked. */
export function scheduleJson({
  schedule,
  body,
  lastStates,
  showsTicks,
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
    lastScheduleStates: statesJson(schedule.lastMessageIds, lastStates),
    error: schedule.error,
    skipped: skipped && {
      count: skipped.count,
      firstScheduleTime: skipped.firstAt,
      lastScheduleTime: skipped.lastAt,
    },
    lastTicks: showsTicks
      ? (schedule.lastTicks ?? []).map((tick) => tickJson(tick, lastStates))
      : undefined,
  };
}

function tickJson(
  { at, messageIds, messageCount, error, skippedCount }: PastTick,
  lastStates: ShownSchedule["lastStates"],
): TypeOf<typeof SCHEDULE_TICK> {
  const states = statesJson(messageIds, lastStates);
  return { time: at, states, messageCount, error, skippedCount };
}

/** Messages that are no longer kept have none. */
function statesJson(
  messageIds: readonly string[] | undefined,
  lastStates: ShownSchedule["lastStates"],
) {
  if (messageIds === undefined) return undefined;
  const known = messageIds.flatMap((messageId) => {
    const state = lastStates[messageId];
    return state === undefined ? [] : [[messageId, STATES[state]] as const];
  });
  return Object.fromEntries(known);
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

export interface ScheduleRequest {
  readonly cron: string;
  /** Null when one is to be generated. */
  readonly scheduleId: string | null;
  readonly queueName: string | undefined;
  readonly options: PublishOptions;
}

export function readScheduleRequest(
  rawHeaders: readonly string[],
  aliases: Aliases,
  defaults: PublishDefaults,
): ScheduleRequest {
  const reading = readHeaders(rawHeaders, aliases, defaults.groupHeaders ?? [], "schedule");
  const options = optionsOf(reading, rawHeaders, defaults);
  const { cron, scheduleId, queueName } = reading.draft;
  if (cron === undefined) {
    const [name] = prefixed(options.dialect, "Cron", "")[0]!;
    throw invalidRequest(`${name}: must be given`);
  }
  return { cron, scheduleId: scheduleId ?? null, queueName, options };
}

/** A page of the list, and whether each shows its last ticks. */
export interface ScheduleListQuery extends IdPage {
  readonly showsTicks: boolean;
}

export function readScheduleList(query: string): ScheduleListQuery {
  const given = readParameters(query, SCHEDULE_LIST_ROWS, "lenient");
  const { after = "", count = null, ticks = false } = given;
  return { after, count, showsTicks: ticks };
}

export const SCHEDULE_LIST_ROWS = [
  ...ID_PAGE_ROWS,
  single("ticks", "With `true` each shows its last ten ticks.", flag(), parseBoolean),
];

/** An expression to try, and how many of its instants to show. */
interface CronPreview {
  readonly cron: Cron;
  readonly count: number;
}

export function readCronPreview(query: string): CronPreview {
  const { cron, count = PREVIEW_DEFAULT } = readParameters(query, CRON_PREVIEW_ROWS);
  if (cron === undefined) throw invalidRequest("cron: must be given");
  return { cron, count };
}

const PREVIEW_DEFAULT = 5;
export const CRON_PREVIEW_ROWS = [
  {
    ...single("cron", "The expression.", text(undefined, "0 9 * * 1-5"), readCron),
    isRequired: true,
  },
  single("count", "How many times, at most 100. Default: 5.", integer(), countUpTo(100)),
];
