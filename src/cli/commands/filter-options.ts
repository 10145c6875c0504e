/** The filters of lists and bulk commands, by the names that the dashboard has for them. */
import type { DeadLetterFilter, MessageFilter } from "../../../sdk/src/client/filters.ts";
import type { DeadRunFilter } from "../../../sdk/src/client/dead-runs.ts";
import type { RunFilter } from "../../../sdk/src/client/workflows.ts";
import { systemClock } from "../../platform/clock.ts";
import { CommandError } from "../command-error.ts";
import type { Flags } from "../flags.ts";

export function messageFilter(flags: Flags): MessageFilter {
  return {
    url: flags.texts("url"),
    host: flags.texts("host"),
    ...linesAndTimes(flags),
  };
}

export function deadLetterFilter(flags: Flags): DeadLetterFilter {
  if (flags.texts("host") !== undefined) {
    throw new CommandError("dead letters are not found by --host; give --url");
  }
  return {
    url: flags.texts("url"),
    ...linesAndTimes(flags),
    responseStatus: flags.texts("status")?.map(Number),
    cause: flags.text("cause"),
  };
}

export function runFilter(flags: Flags): RunFilter {
  const now = systemClock.now();
  return {
    workflowUrl: flags.texts("url"),
    label: flags.texts("label"),
    flowControlKey: flags.texts("key"),
    fromDate: flags.instant("since", now),
    toDate: flags.instant("until", now),
  };
}

export function deadRunFilter(flags: Flags): DeadRunFilter {
  return {
    ...runFilter(flags),
    responseStatus: flags.texts("status")?.map(Number),
    cause: flags.text("cause"),
  };
}

/** How many to print: 50 unless `--limit` says otherwise, 0 for all. */
export function limitOf(flags: Flags): number {
  return flags.number("limit") ?? 50;
}

/** The size of a page that serves a limit. */
export function pageCount(limit: number): number {
  return limit === 0 ? PAGE_MAX : Math.min(limit + 1, PAGE_MAX);
}

export function isEmpty(filter: object): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

function linesAndTimes(flags: Flags): DeadLetterFilter {
  const now = systemClock.now();
  return {
    queueName: flags.texts("queue"),
    flowControlKey: flags.texts("key"),
    scheduleId: flags.texts("schedule"),
    topicName: flags.texts("group"),
    label: flags.texts("label"),
    fromDate: flags.instant("since", now),
    toDate: flags.instant("until", now),
  };
}

const PAGE_MAX = 100;
