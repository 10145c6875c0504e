/** `npm run reference` writes this file from the schemas of the server. */
import type { HeaderLists } from "./words.ts";

export interface Schedule {
  /** The id of the schedule. */
  readonly scheduleId: string;
  /** When it fires. */
  readonly cron: string;
  /** When it was created. Unix milliseconds. */
  readonly createdAt: number;
  /** A URL, or the name of a URL group. */
  readonly destination: string;
  /** The method of the delivery. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Older name of `callerIp`. */
  readonly callerIP: string;
  /** The address of the client that it came from. */
  readonly callerIp: string;
  /** It publishes nothing. */
  readonly isPaused: boolean;
  /** Headers that are sent to the destination. */
  readonly header?: HeaderLists;
  /** The body, if it is text. */
  readonly body?: string;
  /** The body, if it is not text. */
  readonly bodyBase64?: string;
  /** Headers that are sent to the callback. */
  readonly callbackHeader?: HeaderLists;
  /** Headers that are sent to the failure callback. */
  readonly failureCallbackHeader?: HeaderLists;
  /** Retries after the first attempt. */
  readonly retries?: number;
  /** Delay of each message, in seconds. */
  readonly delay?: number;
  /** Longest time of one attempt, in seconds. */
  readonly timeout?: number;
  /** The queue that it publishes through. */
  readonly queueName?: string;
  /** The expression of `Svc-Retry-Delay`. */
  readonly retryDelayExpression?: string;
  /** URL that is called after every attempt. */
  readonly callback?: string;
  /** URL that is called after the last failure. */
  readonly failureCallback?: string;
  /** The first label. */
  readonly label?: string;
  /** All labels. */
  readonly labels?: readonly string[];
  /** Its flow-control key. */
  readonly flowControlKey?: string;
  /** Parallelism that it set for the key. */
  readonly parallelism?: number;
  /** Rate that it set for the key. */
  readonly rate?: number;
  /** Period of the rate, in seconds. */
  readonly period?: number;
  /** When it last published. Unix milliseconds. */
  readonly lastScheduleTime?: number;
  /** When it publishes next. Unix milliseconds. */
  readonly nextScheduleTime?: number;
  /** The messages of the last tick, each with its state. */
  readonly lastScheduleStates?: Readonly<Record<string, "IN_PROGRESS" | "SUCCESS" | "FAIL">>;
  /** Why the last tick published nothing. */
  readonly error?: string;
  /** The latest ticks that no node was there for. */
  readonly skipped?: {
    /** How many. */
    readonly count: number;
    /** The first of them. Unix milliseconds. */
    readonly firstScheduleTime: number;
    /** The last of them. Unix milliseconds. */
    readonly lastScheduleTime: number;
  };
  /** The last ten, the newest first; in a list of schedules only with `ticks=true`. */
  readonly lastTicks?: readonly ScheduleTick[];
}

export interface ScheduleTick {
  /** When it was. Unix milliseconds. */
  readonly time: number;
  /** Its messages with their states, the first ten. */
  readonly states?: Readonly<Record<string, "IN_PROGRESS" | "SUCCESS" | "FAIL">>;
  /** How many messages it has published, when there are more. */
  readonly messageCount?: number;
  /** Why it published nothing. */
  readonly error?: string;
  /** Ticks that no node was there for; this is the last of them. */
  readonly skippedCount?: number;
}

export interface CreatedSchedule {
  /** The id of the schedule. */
  readonly scheduleId: string;
}

export interface CronTimes {
  readonly times: readonly number[];
}
