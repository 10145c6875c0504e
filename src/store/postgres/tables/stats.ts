import { statAges } from "../../group/stat-ages.ts";
import { STATS } from "../../records/stats-table.ts";
import type { Session } from "../driver/conversation.ts";
import { sumInto } from "../group/table-statements.ts";

export const addStats = sumInto(STATS);

/** Removes what is older than its retention, at most so many rows of each kind. */
export async function removeStats(session: Session, now: number, pageMax: number): Promise<number> {
  const removed = await Promise.all(
    statAges(now).map(({ stepMs, isOfHost, before }) =>
      session.change(SQL, [stepMs, before, isOfHost, pageMax]),
    ),
  );
  return Math.max(...removed);
}

// stats_age
const SQL = `DELETE FROM stats USING (
    SELECT ctid FROM stats WHERE step_ms = $1 AND start_at < $2 AND (host > '') = $3
    ORDER BY start_at LIMIT $4 FOR UPDATE SKIP LOCKED
  ) old
  WHERE stats.ctid = old.ctid`;
