import { HTTP_METHODS } from "../../core/model/message/message.ts";
import {
  inlineObject,
  choice,
  flag,
  headers,
  instant,
  list,
  object,
  type Schema,
  text,
  integer,
} from "../json/schema.ts";
import { FLOW_CONTROL_MEMBERS, LABEL_MEMBERS } from "../message/message-schemas.ts";

/** The answers about schedules. A test holds them to real answers. */

const SCHEDULE_ID = text("The id of the schedule.", "daily-report");

const LAST_STATES: Schema<Readonly<Record<string, "IN_PROGRESS" | "SUCCESS" | "FAIL">>> = {
  type: "object",
  description: "The messages of the last tick, each with its state.",
  additionalProperties: choice(["IN_PROGRESS", "SUCCESS", "FAIL"]),
};

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
    method: choice(HTTP_METHODS, "The method of the delivery.", "POST"),
    callerIP: text("Older name of `callerIp`."),
    callerIp: text("The address of the client that created it.", "203.0.113.7"),
    isPaused: flag("It publishes nothing.", false),
  },
  {
    header: headers("Headers of each message."),
    body: text("The body of each message, if it is text."),
    bodyBase64: text("The body of each message, if it is not text."),
    retries: integer("Retries of each message."),
    delay: integer("Delay of each message, in seconds."),
    timeout: integer("Longest time of one attempt, in seconds."),
    retryDelayExpression: text("The expression of `Svc-Retry-Delay`."),
    callback: text("URL that is called after every attempt."),
    callbackHeader: headers("Headers that are sent to the callback."),
    failureCallback: text("URL that is called after the last failure."),
    failureCallbackHeader: headers("Headers that are sent to the failure callback."),
    queueName: text("The queue that it publishes through."),
    ...LABEL_MEMBERS,
    ...FLOW_CONTROL_MEMBERS,
    lastScheduleTime: instant("When it last published."),
    nextScheduleTime: instant("When it publishes next."),
    lastScheduleStates: LAST_STATES,
    error: text("Why the last tick published nothing."),
    skipped: { ...SKIPPED, description: "The latest ticks that no node was there for." },
  },
);

export const SCHEDULES = list(SCHEDULE);
export const CREATED_SCHEDULE = object("CreatedSchedule", { scheduleId: SCHEDULE_ID });
export const CRON_TIMES = object("CronTimes", {
  times: list(instant("A time at which the expression fires.")),
});
