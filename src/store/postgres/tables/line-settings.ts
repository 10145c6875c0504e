import type { LineKey, LineSetting, LineUses } from "../../../core/model/line/line-setting.ts";
import { settingAfterUses } from "../../../core/rules/line/lines.ts";
import { lineKey } from "../../group/row-keys.ts";
import { toLineSetting } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf, rowsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { lockByKey } from "../group/lock-by-key.ts";
import { hasKey, LINE_KEY, rowsByKey } from "../group/rows-by-key.ts";

/** Settings of queues and flow-control keys. */
export async function loadLineSettings(
  session: Session,
  keys: readonly LineKey[],
  rows: WorkingSet,
): Promise<void> {
  if (keys.length === 0) return;
  for (const row of await session.query(SQL.lock, lineKeyColumns(keys))) {
    rows.lineSettings.load(toLineSetting(row));
  }
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
  const settings = (await session.query(statement, lineKeyColumns(keys))).map(toLineSetting);
  return new Map(settings.map((setting) => [lineKey(setting), setting]));
}

export async function removeLineSettings(
  session: Session,
  removed: readonly LineKey[],
): Promise<void> {
  if (removed.length > 0) await session.query(SQL.remove, lineKeyColumns(removed));
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

export function lineKeyColumns(keys: Iterable<LineKey>): unknown[] {
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
