import { toWaiter } from "../records/run-tables.ts";
import { all, type Noun, one } from "./reading.ts";

const SQL = {
  forEvent: `SELECT record FROM waiters
    WHERE account_id = $1 AND event_id = $2 AND (run_id, created_at, step_id) > ($3, $4, $5)
    ORDER BY run_id, created_at, step_id LIMIT $6`,
  // waiters_due
  due: "SELECT record FROM waiters WHERE deadline_at <= $1 ORDER BY deadline_at LIMIT $2",
  nextAt: "SELECT deadline_at FROM waiters ORDER BY deadline_at LIMIT 1",
} as const;

export const WAITER_READS: Noun<"waiters"> = {
  sql: SQL,
  reads: {
    forEvent: (accountId, eventId, after, count) => {
      const { runId = "", createdAt = 0, stepId = 0 } = after ?? {};
      const values = [accountId, eventId, runId, createdAt, stepId, count];
      return all(SQL.forEvent, values, toWaiter);
    },
    due: (now, count) => all(SQL.due, [now, count], toWaiter),
    nextAt: () => one(SQL.nextAt, [], (row) => row["deadline_at"] as number),
  },
};
