import {
  countsBy,
  DURATION_BOUNDS_MS,
  STAT_COUNTS,
  STAT_STEPS_MS,
  type StatPoint,
  type Stats,
  type StatStep,
  type BacklogCount,
  type BacklogPoint,
  type BacklogRow,
} from "../../core/model/account/stats.ts";
import type { Row } from "./rows.ts";
import { type Column, columnOf, namesOf, type Table } from "./table.ts";

interface StatKey {
  readonly accountId: string;
  readonly step: StatStep;
  readonly startAt: number;
  /** Empty for all hosts together. */
  readonly host: string;
}

export interface StatRow extends StatKey, Stats {}

const COUNT_COLUMNS = STAT_COUNTS.map((name): Column<Stats> => [
  columnOf(name),
  "bigint",
  (stats) => stats[name],
]);
const BUCKET_COLUMNS: readonly Column<Stats>[] = [...DURATION_BOUNDS_MS, "more"].map(
  (bound, index) => [`took_${bound}`, "bigint", ({ durations }) => durations[index]!],
);

/** Rows are added to those with the same key. */
export const STATS: Table<StatKey, StatRow> = {
  name: "stats",
  key: [
    ["account_id", "text", ({ accountId }) => accountId],
    ["step_ms", "int", ({ step }) => STAT_STEPS_MS[step]],
    ["start_at", "bigint", ({ startAt }) => startAt],
    ["host", "text", ({ host }) => host],
  ],
  columns: [...COUNT_COLUMNS, ...BUCKET_COLUMNS],
};

export const STAT_COLUMNS = namesOf(STATS.columns);
/** The columns of several rows, added up. */
export const STAT_SUMS = STAT_COLUMNS.map((name) => `sum(${name}) AS ${name}`).join(", ");

export function toStats(row: Row): Stats {
  return {
    ...countsBy((name) => Number(row[columnOf(name)])),
    durations: namesOf(BUCKET_COLUMNS).map((name) => Number(row[name])),
  };
}

export function toStatPoint(row: Row): StatPoint {
  return { startAt: Number(row["start_at"]), ...toStats(row) };
}

/** A later count of a step replaces the one before. */
export const BACKLOG: Table<BacklogRow> = {
  name: "backlog",
  key: [
    ["account_id", "text", ({ accountId }) => accountId],
    ["step_ms", "int", ({ step }) => STAT_STEPS_MS[step]],
    ["start_at", "bigint", ({ startAt }) => startAt],
  ],
  columns: [
    ["due", "bigint", ({ due }) => due],
    ["later", "bigint", ({ later }) => later],
    ["oldest_due_ms", "bigint?", ({ oldestDueMs }) => oldestDueMs],
  ],
};

export const BACKLOG_COLUMNS = namesOf(BACKLOG.columns);

export function toBacklogPoint(row: Row): BacklogPoint {
  return {
    startAt: Number(row["start_at"]),
    due: Number(row["due"]),
    later: Number(row["later"]),
    oldestDueMs: numberIn(row["oldest_due_ms"]),
  };
}

/** From the first instant at which a message was due. One in a queue has been due since it was made. */
export function toBacklogCount(row: Row, now: number): BacklogCount {
  const oldestAt = earlier(numberIn(row["oldest_at"]), numberIn(row["queued_at"]));
  return {
    accountId: row["account_id"] as string,
    due: Number(row["due"]),
    later: Number(row["later"]),
    oldestDueMs: oldestAt === null ? null : Math.max(0, now - oldestAt),
  };
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function numberIn(value: unknown): number | null {
  return value === null ? null : Number(value);
}
