import {
  type BacklogCount,
  type BacklogPoint,
  type BacklogRow,
  STAT_STEPS_MS,
} from "../../core/model/account/stats.ts";
import type { Row } from "./rows.ts";
import { namesOf, type Table } from "./table.ts";

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
