/** `npm run reference` writes this file from the schemas of the server. */
import type { LogEntry, WaitingReasons } from "../../../sdk/src/answers/message.ts";
import type { GlobalParallelism } from "../../../sdk/src/answers/line.ts";

export interface Series {
  readonly step: "minute" | "hour" | "day";
  /** The beginning of the first step. Unix milliseconds. */
  readonly from: number;
  /** The end of the last step. Unix milliseconds. */
  readonly to: number;
  /** How long such steps are kept. */
  readonly keptForMs: number;
  /** Upper bounds of the buckets; the last one has none. */
  readonly durationBoundsMs: readonly number[];
  readonly points: readonly StatPoint[];
  /** What waited at the end of each step. */
  readonly backlog: readonly BacklogPoint[];
}

export interface StatPoint {
  /** When the step begins. Unix milliseconds. */
  readonly at: number;
  /** Messages created. */
  readonly published: number;
  /** Attempts that ended. */
  readonly attempts: number;
  /** Attempts that failed. */
  readonly failedAttempts: number;
  /** Messages delivered. */
  readonly delivered: number;
  /** Messages that became dead letters. */
  readonly deadLettered: number;
  /** Messages canceled. */
  readonly canceled: number;
  /** Half of the attempts took no longer. */
  readonly p50Ms: number | null;
  /** 95 % of the attempts took no longer. */
  readonly p95Ms: number | null;
  /** 99 % of the attempts took no longer. */
  readonly p99Ms: number | null;
  /** Attempts by how long they took, in buckets. */
  readonly durations: readonly number[];
}

export interface BacklogPoint {
  /** When the step begins. Unix milliseconds. */
  readonly at: number;
  /** Messages that were due. */
  readonly due: number;
  /** Messages whose delay or retry was not over. */
  readonly later: number;
  /** How long the first one had been due. */
  readonly oldestDueMs: number | null;
}

export interface HostStats {
  /** Host, and port unless it is usual. */
  readonly host: string;
  /** Messages created. */
  readonly published: number;
  /** Attempts that ended. */
  readonly attempts: number;
  /** Attempts that failed. */
  readonly failedAttempts: number;
  /** Messages delivered. */
  readonly delivered: number;
  /** Messages that became dead letters. */
  readonly deadLettered: number;
  /** Messages canceled. */
  readonly canceled: number;
  /** Half of the attempts took no longer. */
  readonly p50Ms: number | null;
  /** 95 % of the attempts took no longer. */
  readonly p95Ms: number | null;
  /** 99 % of the attempts took no longer. */
  readonly p99Ms: number | null;
  /** Attempts by how long they took, in buckets. */
  readonly durations: readonly number[];
}

export interface NewestAttempts {
  /** How many of the newest attempts were read. */
  readonly attempts: number;
  /** How many of these failed. */
  readonly failed: number;
  /** Where all of them failed: when an attempt last succeeded. Unix milliseconds. */
  readonly deliveredAt: number | null;
}

export interface OverviewHost {
  readonly stats: HostStats;
  /** The last 24 hours. */
  readonly hours: readonly StatPoint[];
  readonly lastError?: LogEntry;
  readonly newest?: NewestAttempts;
}

export interface Overview {
  readonly stats: Series;
  readonly hosts: {
    /** Since when is counted. Unix milliseconds. */
    readonly from: number;
    /** The five busiest, and the five of which most attempts failed. */
    readonly hosts: readonly OverviewHost[];
  };
  readonly waiting: WaitingReasons;
  readonly parallelism: GlobalParallelism;
  readonly queues: {
    /** How many queues there are. */
    readonly count: number;
    /** How many of them are paused. */
    readonly paused: number;
  };
}

export interface Hosts {
  /** Since when is counted. Unix milliseconds. */
  readonly from: number;
  readonly hosts: readonly HostStats[];
}
