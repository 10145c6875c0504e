import type { Session } from "../driver/conversation.ts";

/** Counts dead letters that were removed because there were too many. */
export async function dropDailyCounts(
  session: Session,
  accountId: string,
  day: number,
  dropped: number,
): Promise<void> {
  await session.query(SQL.drop, [accountId, day, dropped]);
}

export function removeDailyCounts(
  session: Session,
  beforeDay: number,
  pageMax: number,
): Promise<number> {
  return session.change(SQL.remove, [beforeDay, pageMax]);
}

const SQL = {
  drop: `INSERT INTO daily_counts AS c
      (account_id, day, writer, messages, delivered, failed, dropped)
    VALUES ($1, $2, 'janitor', 0, 0, 0, $3)
    ON CONFLICT (account_id, day, writer) DO UPDATE SET dropped = c.dropped + excluded.dropped`,
  remove: `DELETE FROM daily_counts WHERE (account_id, day, writer) IN (
    SELECT account_id, day, writer FROM daily_counts WHERE day < $1
    ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED)`,
} as const;
