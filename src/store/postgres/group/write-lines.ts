import type { LineKey, RateWindow } from "../../../core/model/line/line.ts";
import type { Instant } from "../../../core/model/time.ts";
import type { DueLine } from "../../group/line-rows.ts";
import { pairKey } from "../../group/row-keys.ts";
import type { Row } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { rowsOf, orConstant, constantColumn, nullableColumn } from "./columns.ts";
import type { Session } from "../driver/conversation.ts";
import { lockLines, lockLinesShared } from "../claim/line-lock.ts";
import {
  addSettings,
  putSettings,
  removeSettings,
  settingsOnceUsed,
} from "../tables/line-settings.ts";
import { LINE_KEY, rowsByKey, withRow } from "./rows-by-key.ts";

/** A line to write; null keeps the stored value. */
interface PutLine extends LineKey {
  dueAt: Instant | null;
  /** When its limits changed. */
  changedAt: Instant | null;
  /** When a slot came free, for a line that may be shut. */
  freedAt: Instant | null;
  window: RateWindow | null;
}

/** Whether there is anything to write or to read of lines. */
export function touchesLines({ lines, lineSettings }: WorkingSet): boolean {
  const { due, changed, freed, used, windows } = lines;
  return [due, changed, freed, used, windows, lineSettings.removed].some(({ size }) => size > 0);
}

/**
 * Writes the changes of lines in one order and one statement, so that no two writers deadlock.
 * Lines that are due early enough are not written; that is decided once no claim can postpone or
 * delete them, see line-lock.ts. True when the change freed a slot that a waiting message can use.
 */
export async function writeLines(
  session: Session,
  rows: WorkingSet,
  now: Instant,
): Promise<boolean> {
  const { due, changed, freed } = rows.lines;
  const used = [...rows.lines.used.values()];
  const removed = [...rows.lineSettings.removed.values()];
  const locking = Promise.all([
    lockLinesShared(session, [...due.values(), ...changed.values(), ...freed.values(), ...used]),
    lockLines(session, removed),
    removeSettings(session, removed),
  ]);
  if (used.length === 0) {
    const [freedSlot] = await Promise.all([
      putLines(session, rows, changed.values(), now),
      locking,
    ]);
    return freedSlot;
  }
  const [settings] = await Promise.all([settingsOnceUsed(session, used), locking]);
  const usedOtherwise = settings.changed.map((setting) => ({ ...setting, at: setting.updatedAt }));
  const [, , freedSlot] = await Promise.all([
    addSettings(session, settings.added),
    putSettings(session, settings.changed),
    putLines(session, rows, [...changed.values(), ...usedOtherwise], now),
  ]);
  return freedSlot;
}

/** In a statement of its own, which sees what claims wrote before the locks were taken. */
async function putLines(
  session: Session,
  { lines }: WorkingSet,
  changed: Iterable<DueLine>,
  now: Instant,
): Promise<boolean> {
  const put = new Map<string, PutLine>();
  for (const line of lines.windows.values()) lineIn(put, line).window = line.window;
  for (const line of lines.reset.values()) {
    lineIn(put, line).window = { startedAt: line.at, starts: 0 };
  }
  for (const line of lines.due.values()) lineIn(put, line).dueAt = line.at;
  for (const line of changed) noteChanged(lineIn(put, line), line.at);
  if (put.size === 0) return makeDue(session, lines.freed, now);
  for (const line of lines.freed.values()) lineIn(put, line).freedAt = now;
  const { rows } = await session.last(SQL.put, putColumns(sorted(put)));
  return rows.some((row) => row["next_at"] !== null && put.get(keyOfRow(row))?.freedAt !== null);
}

/** The same where slots came free and nothing else changed, as after each delivery. */
async function makeDue(
  session: Session,
  freed: ReadonlyMap<string, LineKey>,
  now: Instant,
): Promise<boolean> {
  if (freed.size === 0) return false;
  const lines = sorted(freed);
  const accountIds = constantColumn(lines, ({ accountId }) => accountId);
  const names = lines.map(({ line }) => line);
  return (await session.last(SQL.makeDue, [accountIds, names, now])).changed > 0;
}

/** A new entry writes nothing until a field is set. */
function lineIn(put: Map<string, PutLine>, key: LineKey): PutLine {
  const name = keyOf(key);
  const known = put.get(name);
  if (known !== undefined) return known;
  const { accountId, line } = key;
  const added = { accountId, line, dueAt: null, changedAt: null, freedAt: null, window: null };
  put.set(name, added);
  return added;
}

function noteChanged(line: PutLine, at: Instant): void {
  line.changedAt = Math.min(line.changedAt ?? at, at);
}

function sorted<Line>(lines: ReadonlyMap<string, Line>): Line[] {
  return [...lines.keys()].toSorted().map((key) => lines.get(key)!);
}

const keyOf = ({ accountId, line }: LineKey): string => pairKey(accountId, line);

const keyOfRow = (row: Row): string => pairKey(row["account_id"] as string, row["line"] as string);

function putColumns(lines: readonly PutLine[]): unknown[][] {
  return [
    lines.map(({ accountId }) => accountId),
    lines.map(({ line }) => line),
    nullableColumn(lines, ({ dueAt }) => dueAt),
    nullableColumn(lines, ({ freedAt }) => freedAt),
    nullableColumn(lines, ({ window }) => window?.startedAt ?? null),
    nullableColumn(lines, ({ window }) => window?.starts ?? null),
    nullableColumn(lines, ({ changedAt }) => changedAt),
  ];
}

/** Evaluated once instead of once for each line. Reads lines_shut. */
const ANY_SHUT = `(SELECT true FROM lines
  WHERE account_id = ANY ($1::text[]) AND next_at IS NULL AND NOT emptied LIMIT 1)`;

const FREED = `(SELECT ${orConstant("account_id", 1, "text")} AS account_id, line
  FROM ${rowsOf("account_id $1 text", "line $2 text")} n
  WHERE ${ANY_SHUT}) k`;

const SQL = {
  // A transaction that changes a shut line at the same time makes it due too, or waits for the
  // shared lock.
  makeDue: `UPDATE lines SET next_at = $3::bigint FROM ${rowsByKey("lines", LINE_KEY, FREED)} freed
    WHERE lines.ctid = freed.ctid AND lines.next_at IS NULL AND NOT lines.emptied`,
  // A free slot matters only to a line that is shut, and a new message does not: a shut line is
  // visited when a slot comes free. A line that is new and not due holds no message, so changed
  // limits do not matter to it.
  put: `INSERT INTO lines (account_id, line, next_at, window_started_at, window_starts, emptied)
    SELECT account_id, line, at, coalesce(window_at, 0), coalesce(starts, 0), at IS NULL
    FROM (
      SELECT k.account_id, k.line, k.window_at, k.starts, l.next_at,
        CASE WHEN l.next_at IS NULL AND NOT l.emptied
          THEN least(k.freed_at, k.changed_at)
          ELSE least(k.due_at, CASE WHEN l.next_at IS NOT NULL THEN k.changed_at END) END AS at
      FROM (
        SELECT * FROM ${rowsOf(
          "account_id $1 text",
          "due_at $3 bigint",
          "freed_at $4 bigint",
          "window_at $5 bigint",
          "starts $6 int",
          "changed_at $7 bigint",
          "line $2 text",
        )} n
        WHERE coalesce(due_at, window_at, changed_at) IS NOT NULL OR ${ANY_SHUT}
      ) k
      ${withRow("lines", LINE_KEY, "l")}
    ) examined
    WHERE window_at IS NOT NULL OR at < next_at OR (at IS NOT NULL AND next_at IS NULL)
    ON CONFLICT (account_id, line) DO UPDATE SET
      next_at = least(lines.next_at, excluded.next_at),
      emptied = lines.emptied AND excluded.next_at IS NULL,
      window_starts = CASE excluded.window_started_at
        WHEN 0 THEN lines.window_starts ELSE excluded.window_starts END,
      window_started_at = CASE excluded.window_started_at
        WHEN 0 THEN lines.window_started_at ELSE excluded.window_started_at END
    WHERE lines.next_at IS NULL OR lines.next_at > excluded.next_at
      OR excluded.window_started_at > 0
    RETURNING account_id, line, next_at`,
} as const;
