import {
  countsBy,
  DURATION_BOUNDS_MS,
  STAT_COUNTS,
  STAT_STEPS_MS,
  type StatPoint,
  type Stats,
  type StatStep,
} from "../../core/model/account/stats.ts";
import type { Row } from "./rows.ts";
import { type Column, namesOf, type Table } from "./table.ts";

export interface StatKey {
  readonly accountId: string;
  readonly step: StatStep;
  readonly startAt: number;
  /** Empty for all hosts together. */
  readonly host: string;
}

export interface StatRow extends StatKey, Stats {}

/** `failed_attempts` for `failedAttempts`. */
const columnOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

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
