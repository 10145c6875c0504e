import { lineKind } from "../../core/model/line.ts";
import type { LineKey, LineSetting, LineStatus } from "../../core/model/line-setting.ts";
import { toLineSetting } from "../rows.ts";
import type { WorkingSet } from "../working-set.ts";
import { columnsOf } from "./columns.ts";
import type { Session } from "./connection.ts";

/** What was set of queues and flow-control keys, and how they stand. */
export async function loadLineSettings(
  session: Session,
  keys: readonly LineKey[],
  rows: WorkingSet,
): Promise<void> {
  if (keys.length === 0) return;
  for (const row of await session.query(SQL.lock, keyColumns(keys))) {
    rows.lineSettings.load(toLineSetting(row));
  }
}

export async function readLineSetting(
  session: Session,
  { accountId, line }: LineKey,
): Promise<LineSetting | null> {
  const [row] = await session.query(SQL.read, [accountId, line]);
  return row ? toLineSetting(row) : null;
}

/** Lines whose names begin with the prefix, after one of them. */
export async function listLineSettings(
  session: Session,
  accountId: string,
  prefix: string,
  after: string,
  count: number,
): Promise<LineSetting[]> {
  const values = [accountId, prefix, `${prefix}\u{10FFFF}`, after, count];
  return (await session.query(SQL.list, values)).map(toLineSetting);
}

export async function readLineStatus(
  session: Session,
  { accountId, line }: LineKey,
): Promise<LineStatus> {
  const isQueue = lineKind(line) === "queue";
  const [[waiting], [held], [running]] = await Promise.all([
    session.query(SQL.waiting, [accountId, line]),
    session.query(isQueue ? SQL.holds : SQL.underWay, [accountId, line]),
    session.query(SQL.running, [accountId, line]),
  ]);
  return {
    waiting: waiting?.["count"] as number,
    held: held?.["count"] as number,
    windowStartedAt: (running?.["window_started_at"] ?? 0) as number,
    windowStarts: (running?.["window_starts"] ?? 0) as number,
  };
}

export async function writeLineSettings(
  session: Session,
  { lineSettings }: WorkingSet,
): Promise<void> {
  if (lineSettings.put.size > 0) {
    const columns = columnsOf(
      lineSettings.put.values(),
      ({ accountId }) => accountId,
      ({ line }) => line,
      ({ limits }) => limits.parallelism,
      ({ limits }) => limits.rate,
      ({ limits }) => limits.periodMs,
      ({ limits }) => limits.paused,
      (setting) => setting.isParallelismPinned,
      (setting) => setting.isRatePinned,
      (setting) => setting.createdAt,
      (setting) => setting.updatedAt,
    );
    await session.query(SQL.put, columns);
  }
  if (lineSettings.removed.size > 0) {
    await session.query(SQL.remove, keyColumns(lineSettings.removed.values()));
  }
}

function keyColumns(keys: Iterable<LineKey>): unknown[] {
  return columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ line }) => line,
  );
}

const SQL = {
  lock: `SELECT l.* FROM line_limits l
    WHERE (l.account_id, l.line) IN (SELECT * FROM unnest($1::text[], $2::text[]))
    ORDER BY l.account_id, l.line FOR UPDATE`,
  read: "SELECT * FROM line_limits WHERE account_id = $1 AND line = $2",
  list: `SELECT * FROM line_limits
    WHERE account_id = $1 AND line >= $2 AND line < $3 AND line > $4
    ORDER BY line LIMIT $5`,
  // messages_waiting
  waiting: `SELECT count(*) AS count FROM messages
    WHERE account_id = $1 AND line = $2 AND phase = 0 AND NOT suspect`,
  holds: "SELECT count(*) AS count FROM queue_holds WHERE account_id = $1 AND line = $2",
  // messages_keyed
  underWay: `SELECT count(*) AS count FROM messages
    WHERE account_id = $1 AND line = $2 AND phase = 1 AND line >= 'k:' AND line < 'k;'`,
  running: "SELECT * FROM lines WHERE account_id = $1 AND line = $2",
  put: `INSERT INTO line_limits (account_id, line, parallelism, rate, period_ms, paused,
      pinned_parallelism, pinned_rate, created_at, updated_at)
    SELECT n.* FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::bigint[],
        $6::boolean[], $7::boolean[], $8::boolean[], $9::bigint[], $10::bigint[])
      AS n (account_id, line)
    ORDER BY n.account_id COLLATE "C", n.line COLLATE "C"
    ON CONFLICT (account_id, line) DO UPDATE SET parallelism = excluded.parallelism,
      rate = excluded.rate, period_ms = excluded.period_ms, paused = excluded.paused,
      pinned_parallelism = excluded.pinned_parallelism, pinned_rate = excluded.pinned_rate,
      updated_at = excluded.updated_at`,
  remove: `DELETE FROM line_limits USING unnest($1::text[], $2::text[]) AS k (account_id, line)
    WHERE line_limits.account_id = k.account_id AND line_limits.line = k.line`,
} as const;
