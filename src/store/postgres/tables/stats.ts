import { statAges } from "../../group/stat-ages.ts";
import { BACKLOG } from "../../records/backlog-table.ts";
import { STATS } from "../../records/stats-table.ts";
import type { Session } from "../driver/conversation.ts";
import { putInto, sumInto } from "../group/table-statements.ts";

export const addStats = sumInto(STATS);
export const putBacklog = putInto(BACKLOG);

/** Removes what is older than its retention, at most so many rows of each kind. */
export async function removeStats(session: Session, now: number, pageMax: number): Promise<number> {
  const ages = statAges(now);
  const removed = await Promise.all([
    ...ages.map(({ stepMs, isOfHost, before }) =>
      session.change(SQL.stats, [stepMs, before, isOfHost, pageMax]),
    ),
    ...ages
      .filter(({ isOfHost }) => !isOfHost)
      .map(({ stepMs, before }) => session.change(SQL.backlog, [stepMs, before, pageMax])),
  ]);
  return Math.max(...removed);
}

const SQL = {
  // stats_age
  stats: `DELETE FROM stats USING (
      SELECT ctid FROM stats WHERE step_ms = $1 AND start_at < $2 AND (host > '') = $3
      ORDER BY start_at LIMIT $4 FOR UPDATE SKIP LOCKED
    ) old
    WHERE stats.ctid = old.ctid`,
  // backlog_age
  backlog: `DELETE FROM backlog USING (
      SELECT ctid FROM backlog WHERE step_ms = $1 AND start_at < $2
      ORDER BY start_at LIMIT $3 FOR UPDATE SKIP LOCKED
    ) old
    WHERE backlog.ctid = old.ctid`,
} as const;
