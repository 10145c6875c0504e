import { lineKind } from "../../../core/model/line/line.ts";
import {
  type LineKey,
  type LineReport,
  type LineSetting,
  type LineStatus,
  type LineUses,
  WAITING_COUNTED_MAX,
} from "../../../core/model/line/line-setting.ts";
import type { Instant, MessageKey } from "../../../core/model/message/message.ts";
import { settingAfterUses } from "../../../core/rules/line/lines.ts";
import { lineKey } from "../../group/row-keys.ts";
import { ROWS_READ_MAX } from "../../reader.ts";
import { type Row, toLineSetting } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf, numberedRowsOf, rowsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { lockByKey } from "../group/lock-by-key.ts";
import { hasKey, LINE_KEY, rowsByKey, withRow } from "../group/rows-by-key.ts";

/** Settings of queues and flow-control keys, and their current load. */
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

export async function readAreLinesSet(
  session: Session,
  keys: readonly LineKey[],
): Promise<boolean[]> {
  const columns = columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ line }) => line,
  );
  const set = new Set((await session.query(SQL.areSet, columns)).map((row) => row["nth"]));
  return keys.map((_, index) => set.has(index + 1));
}

/** A line's settings and load; null when it has no settings. */
export async function readLineReport(
  session: Session,
  key: LineKey,
  now: Instant,
): Promise<LineReport | null> {
  const setting = await readLineSetting(session, key);
  if (setting === null) return null;
  const [status] = await readStatuses(session, [setting], now);
  return { setting, status: status as LineStatus };
}

/** Lines whose names begin with the prefix and contain the text, by name. */
export async function listLineReports(
  session: Session,
  accountId: string,
  prefix: string,
  search: string,
  count: number,
  now: Instant,
): Promise<LineReport[]> {
  const values = [accountId, prefix, `${prefix}\u{10FFFF}`, ROWS_READ_MAX, search, count];
  const settings = (await session.query(SQL.list, values)).map(toLineSetting);
  const statuses = await readStatuses(session, settings, now);
  return settings.map((setting, index) => ({ setting, status: statuses[index] as LineStatus }));
}

async function readStatuses(
  session: Session,
  settings: readonly LineSetting[],
  now: Instant,
): Promise<LineStatus[]> {
  if (settings.length === 0) return [];
  const dueBy = settings.map(({ line }) =>
    lineKind(line) === "queue" ? Number.MAX_SAFE_INTEGER : now,
  );
  const countedMax = Math.ceil(WAITING_COUNTED_MAX / settings.length);
  const rows = await session.query(SQL.statuses, [...keyColumns(settings), dueBy, countedMax]);
  return rows.map(toLineStatus);
}

function toLineStatus(row: Row): LineStatus {
  return {
    waiting: row["waiting"] as number,
    held: row["held"] as number,
    windowStartedAt: row["window_started_at"] as number,
    windowStarts: row["window_starts"] as number,
  };
}

export async function countQueues(session: Session, accountId: string): Promise<number> {
  const [row] = await session.query(SQL.countQueues, [accountId]);
  return row?.["count"] as number;
}

/** The position of the last message in a queue; 0 when it is empty. */
export async function lastPosition(
  session: Session,
  { accountId, line }: LineKey,
): Promise<number> {
  const [row] = await session.query(SQL.lastPosition, [accountId, line]);
  return row?.["position"] as number;
}

/** Messages of a queue that have neither ended nor been canceled, up to a position. */
export async function readQueued(
  session: Session,
  { accountId, line }: LineKey,
  upTo: number,
  count: number,
): Promise<MessageKey[]> {
  const rows = await session.query(SQL.queued, [accountId, line, upTo, count]);
  return rows.map((row) => ({ accountId, messageId: row["message_id"] as string }));
}

/** What publishers asked for, where it changes the setting of a line. */
export interface UsedSettings {
  /** Of lines that had no setting. Where another group adds one first, that one counts. */
  readonly added: readonly LineSetting[];
  /** Of lines in which messages may wait, locked by this transaction. */
  readonly changed: readonly LineSetting[];
}

/**
 * Decides what the uses of lines change. Settings are read without a lock first, so that publishers
 * that ask for what is stored do not wait for each other.
 */
export async function settingsOnceUsed(
  session: Session,
  used: readonly LineUses[],
): Promise<UsedSettings> {
  if (used.length === 0) return { added: [], changed: [] };
  const known = await readByKey(session, SQL.readUsed, used);
  const added = used.filter((uses) => !known.has(lineKey(uses)));
  const changing = used.filter((uses) => {
    const setting = known.get(lineKey(uses));
    return setting !== undefined && settingAfterUses(setting, uses) !== null;
  });
  const locked = await readByKey(session, SQL.lock, changing);
  return {
    added: added.flatMap((uses) => settingAfterUses(null, uses) ?? []),
    changed: changing.flatMap(
      (uses) => settingAfterUses(locked.get(lineKey(uses)) ?? null, uses) ?? [],
    ),
  };
}

async function readByKey(
  session: Session,
  statement: string,
  keys: readonly LineKey[],
): Promise<Map<string, LineSetting>> {
  if (keys.length === 0) return new Map();
  const settings = (await session.query(statement, keyColumns(keys))).map(toLineSetting);
  return new Map(settings.map((setting) => [lineKey(setting), setting]));
}

export async function removeLineSettings(
  session: Session,
  removed: readonly LineKey[],
): Promise<void> {
  if (removed.length > 0) await session.query(SQL.remove, keyColumns(removed));
}

export async function writeLineSettings(
  session: Session,
  { lineSettings }: WorkingSet,
): Promise<void> {
  await putSettings(session, [...lineSettings.put.values()]);
}

/** Leaves the settings alone that lines have by now. */
export function addSettings(session: Session, settings: readonly LineSetting[]): Promise<void> {
  return writeSettings(session, SQL.add, settings);
}

export function putSettings(session: Session, settings: readonly LineSetting[]): Promise<void> {
  return writeSettings(session, SQL.put, settings);
}

async function writeSettings(
  session: Session,
  statement: string,
  settings: readonly LineSetting[],
): Promise<void> {
  if (settings.length === 0) return;
  const columns = columnsOf(
    settings,
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
  await session.query(statement, columns);
}

function keyColumns(keys: Iterable<LineKey>): unknown[] {
  return columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ line }) => line,
  );
}

const INSERT = `INSERT INTO line_limits (account_id, line, parallelism, rate, period_ms, paused,
      pinned_parallelism, pinned_rate, created_at, updated_at)
    SELECT n.* FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::bigint[],
        $6::boolean[], $7::boolean[], $8::boolean[], $9::bigint[], $10::bigint[])
      AS n (account_id, line)
    ORDER BY n.account_id COLLATE "C", n.line COLLATE "C"`;

const SQL = {
  lock: lockByKey("line_limits", { account_id: "text", line: "text" }),
  read: "SELECT * FROM line_limits WHERE account_id = $1 AND line = $2",
  areSet: `SELECT nth FROM ${numberedRowsOf("account_id $1 text", "line $2 text")} k
    CROSS JOIN LATERAL (
      SELECT FROM line_limits WHERE account_id = k.account_id AND line = k.line
    ) m`,
  list: `SELECT * FROM (
      SELECT * FROM line_limits WHERE account_id = $1 AND line >= $2 AND line < $3
      ORDER BY line LIMIT $4
    ) l WHERE strpos(substr(line, 3), $5) > 0 ORDER BY line LIMIT $6`,
  countQueues: `SELECT count(*) AS count FROM line_limits
    WHERE account_id = $1 AND line >= 'q:' AND line < 'q;'`,
  // messages_waiting, messages_holding, messages_keyed
  statuses: `SELECT
      (SELECT count(*) FROM (
        SELECT 1 FROM messages WHERE account_id = k.account_id AND line = k.line
          AND phase = 0 AND NOT suspect AND ready_at <= k.due_by LIMIT $4) w) AS waiting,
      CASE left(k.line, 2)
        WHEN 'q:' THEN (SELECT count(*) FROM (SELECT FROM messages
          WHERE account_id = k.account_id AND queue = k.line
            AND root_id = message_id AND line_after IS NULL
          ORDER BY position) h)
        ELSE (SELECT count(*) FROM (SELECT FROM messages
          WHERE account_id = k.account_id AND line = k.line
            AND phase = 1 AND line >= 'k:' AND line < 'k;'
          ORDER BY leased_at) h)
        END AS held,
      coalesce(l.window_started_at, 0) AS window_started_at,
      coalesce(l.window_starts, 0) AS window_starts
    FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY
      AS k (account_id, line, due_by, nth)
    ${withRow("lines", LINE_KEY, "l")}
    ORDER BY k.nth`,
  // messages_queued, messages_holding
  lastPosition: `SELECT coalesce(greatest(
      (SELECT max(position) FROM messages
       WHERE account_id = $1 AND line = $2 AND phase = 0 AND line_after IS NOT NULL),
      (SELECT max(position) FROM messages WHERE account_id = $1 AND queue = $2)), 0) AS position`,
  queued: `(SELECT message_id FROM messages
      WHERE account_id = $1 AND line = $2 AND phase = 0 AND line_after IS NOT NULL
        AND position <= $3
      ORDER BY position LIMIT $4)
    UNION
    (SELECT message_id FROM messages
      WHERE account_id = $1 AND queue = $2 AND position <= $3 AND NOT cancel_requested
      ORDER BY position LIMIT $4)
    LIMIT $4`,
  readUsed: `SELECT m.* FROM ${rowsOf("account_id $1 text", "line $2 text")} k
    CROSS JOIN LATERAL (SELECT * FROM line_limits WHERE ${hasKey(LINE_KEY)} OFFSET 0) m`,
  add: `${INSERT} ON CONFLICT DO NOTHING`,
  put: `${INSERT} ON CONFLICT (account_id, line) DO UPDATE SET parallelism = excluded.parallelism,
      rate = excluded.rate, period_ms = excluded.period_ms, paused = excluded.paused,
      pinned_parallelism = excluded.pinned_parallelism, pinned_rate = excluded.pinned_rate,
      created_at = excluded.created_at, updated_at = excluded.updated_at`,
  // A line that is set at the same time stays, as if it had been set afterwards.
  remove: `DELETE FROM line_limits USING ${rowsByKey(
    "line_limits",
    LINE_KEY,
    "unnest($1::text[], $2::text[]) AS k (account_id, line)",
  )} gone
    WHERE line_limits.ctid = gone.ctid`,
} as const;
