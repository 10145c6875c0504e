import type { LoggedEntry } from "../../core/model/message/log-entry.ts";
import type { HostStats, StatPoint } from "../../core/model/account/stats.ts";
import {
  inlineObject,
  instant,
  integer,
  list,
  object,
  orNull,
  type TypeOf,
} from "../json/schema.ts";
import { GLOBAL_PARALLELISM } from "../line/flow-control-key.ts";
import { WAITING } from "../line/waiting.ts";
import { LOG_ENTRY } from "../message/message-schemas.ts";
import { logEntryJson } from "../message/message.ts";
import { HOST_STATS, SERIES, STAT_POINT, statsJson } from "./stats.ts";

interface ShownHost extends HostStats {
  readonly hours: readonly StatPoint[];
  readonly lastError: LoggedEntry | null;
  readonly newest: TypeOf<typeof NEWEST> | null;
}

export function shownHostJson({ host, hours, lastError, newest, ...stats }: ShownHost): HostAnswer {
  return {
    stats: { host, ...statsJson(stats) },
    hours: hours.map(({ startAt, ...hour }) => ({ at: startAt, ...statsJson(hour) })),
    lastError: lastError === null ? undefined : logEntryJson(lastError),
    newest: newest ?? undefined,
  };
}

type HostAnswer = TypeOf<typeof OVERVIEW_HOST>;

const NEWEST = object("NewestAttempts", {
  attempts: integer("How many of the newest attempts were read.", 10),
  failed: integer("How many of these failed.", 10),
  deliveredAt: orNull(instant("Where all of them failed: when an attempt last succeeded.")),
});

const OVERVIEW_HOST = object(
  "OverviewHost",
  { stats: HOST_STATS, hours: list(STAT_POINT, "The last 24 hours.") },
  { lastError: LOG_ENTRY, newest: NEWEST },
);

export const OVERVIEW = object("Overview", {
  stats: SERIES,
  hosts: inlineObject({
    from: instant("Since when is counted."),
    hosts: list(OVERVIEW_HOST, "The five busiest, and the five of which most attempts failed."),
  }),
  waiting: WAITING,
  parallelism: GLOBAL_PARALLELISM,
  queues: inlineObject({
    count: integer("How many queues there are.", 4),
    paused: integer("How many of them are paused.", 1),
  }),
});
