import { STAT_STEPS_MS } from "../../core/model/account/stats.ts";
import { BACKLOG_COLUMNS, toBacklogPoint } from "../records/backlog-table.ts";
import { STAT_COLUMNS, STAT_SUMS, toStatPoint, toStats } from "../records/stats-table.ts";
import { all, type Noun } from "./reading.ts";

const SQL = {
  series: `SELECT start_at, ${STAT_COLUMNS.join(", ")} FROM stats
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND start_at < $4 AND host = $5
    ORDER BY start_at`,
  hosts: `SELECT host, ${STAT_SUMS} FROM stats
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND host > ''
    GROUP BY host ORDER BY sum(attempts) DESC, host LIMIT $4`,
  backlog: `SELECT start_at, ${BACKLOG_COLUMNS.join(", ")} FROM backlog
    WHERE account_id = $1 AND step_ms = $2 AND start_at >= $3 AND start_at < $4 ORDER BY start_at`,
} as const;

export const STAT_READS: Noun<"stats"> = {
  sql: SQL,
  reads: {
    series: (accountId, { step, fromAt, toAt, host = "" }) =>
      all(SQL.series, [accountId, STAT_STEPS_MS[step], fromAt, toAt, host], toStatPoint),
    hosts: (accountId, fromAt, count) =>
      all(SQL.hosts, [accountId, STAT_STEPS_MS.hour, fromAt, count], (row) => ({
        host: row["host"] as string,
        ...toStats(row),
      })),
    backlog: (accountId, { step, fromAt, toAt }) =>
      all(SQL.backlog, [accountId, STAT_STEPS_MS[step], fromAt, toAt], toBacklogPoint),
  },
};
