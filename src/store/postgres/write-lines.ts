import type { LineKey } from "../../core/model/line-setting.ts";
import type { RateWindow } from "../../core/model/line-stand.ts";
import type { Instant } from "../../core/model/message.ts";
import type { DueLine } from "../line-rows.ts";
import { pairKey } from "../row-keys.ts";
import type { Row } from "../rows.ts";
import type { WorkingSet } from "../working-set.ts";
import { columnsOf } from "./columns.ts";
import type { Session } from "./connection.ts";
import { keepLines, shareLines } from "./line-lock.ts";
import { removeLineSettings, useLines } from "./line-settings.ts";

/** A line as it is written; what is null stays as it is. */
interface PutLine extends LineKey {
  readonly at: Instant | null;
  readonly window: RateWindow | null;
}

interface Late {
  readonly lines: readonly DueLine[];
  /** Some of them have room again, for which somebody waited. */
  readonly woken: boolean;
}

/** Queues whose slots come free: as far as it can be told beforehand, and as it then was. */
export interface FreedQueues {
  readonly expected: readonly DueLine[];
  readonly found: Promise<readonly DueLine[]>;
}

/** Whether there is anything to write of lines, or to ask about them. */
export function touchesLines({ lines, lineSettings }: WorkingSet): boolean {
  const { due, freed, used, windows, holds } = lines;
  return [due, freed, used, windows, holds, lineSettings.removed].some(({ size }) => size > 0);
}

/**
 * Writes what has changed of lines, in one order and one statement, so that no two writers wait for
 * each other. Answers whether it gave room to somebody who waited for it.
 */
export async function writeLines(
  session: Session,
  rows: WorkingSet,
  queues: FreedQueues,
): Promise<boolean> {
  const { lines, woken } = await lateLines(session, rows, queues);
  const put = new Map<string, PutLine>();
  for (const line of rows.lines.windows.values()) put.set(keyOf(line), { ...line, at: null });
  for (const line of lines) {
    const name = keyOf(line);
    const resetAt = rows.lines.reset.get(name)?.at;
    const window = resetAt === undefined ? undefined : { startedAt: resetAt, starts: 0 };
    put.set(name, { ...line, window: window ?? put.get(name)?.window ?? null });
  }
  if (put.size > 0) await session.last(SQL.put, putColumns(sorted(put)));
  return woken;
}

/**
 * The lines that are to be due earlier than they are, judged once no claim puts one of them to sleep
 * and nobody forgets it; see line-lock.ts. The others are left alone.
 */
async function lateLines(
  session: Session,
  rows: WorkingSet,
  { expected, found }: FreedQueues,
): Promise<Late> {
  const due = [...rows.lines.due.values()];
  const used = [...rows.lines.used.values()];
  const removed = [...rows.lineSettings.removed.values()];
  const known = earliest([...due, ...rows.lines.freed.values(), ...expected, ...used]);
  const [freedNow, , , , changed, standing] = await Promise.all([
    found,
    shareLines(session, known),
    keepLines(session, removed),
    removeLineSettings(session, removed),
    useLines(session, used),
    readLines(session, known),
  ]);
  const isKnown = new Set(known.map(keyOf));
  const missed = freedNow.filter((line) => !isKnown.has(keyOf(line)));
  const [, more] = await Promise.all([shareLines(session, missed), readLines(session, missed)]);
  standing.push(...more);
  const freed = [...rows.lines.freed.values(), ...freedNow];
  const nextAt = new Map(standing.map((row) => [keyOfRow(row), row["next_at"] as number | null]));
  const shut = new Set(standing.filter(isShut).map(keyOfRow));
  const isNew = new Set(changed.map(keyOf));
  const woken = freed.filter((line) => shut.has(keyOf(line)));
  const all = earliest([...used.filter((line) => isNew.has(keyOf(line))), ...woken, ...due]);
  const late = all.filter(
    (line) => rows.lines.reset.has(keyOf(line)) || (nextAt.get(keyOf(line)) ?? Infinity) > line.at,
  );
  return { lines: late, woken: woken.length > 0 };
}

/** In a statement of its own, which sees what claims did before the locks were shared. */
async function readLines(session: Session, lines: readonly LineKey[]): Promise<Row[]> {
  return lines.length === 0 ? [] : session.query(SQL.read, names(lines));
}

/** Only a line that is shut has somebody waiting for room. */
function isShut(row: Row): boolean {
  return row["next_at"] === null && row["emptied"] === false;
}

/** Each line once, at its earliest. */
function earliest(lines: readonly DueLine[]): DueLine[] {
  const found = new Map<string, DueLine>();
  for (const line of lines) {
    const known = found.get(keyOf(line));
    if (known === undefined || line.at < known.at) found.set(keyOf(line), line);
  }
  return [...found.values()];
}

function sorted(lines: ReadonlyMap<string, PutLine>): PutLine[] {
  return [...lines.keys()].toSorted().flatMap((key) => lines.get(key) ?? []);
}

const keyOf = ({ accountId, line }: LineKey): string => pairKey(accountId, line);

const keyOfRow = (row: Row): string => pairKey(row["account_id"] as string, row["line"] as string);

function names(lines: readonly LineKey[]): unknown[][] {
  return columnsOf(
    lines,
    ({ accountId }) => accountId,
    ({ line }) => line,
  );
}

function putColumns(lines: readonly PutLine[]): unknown[][] {
  const more = columnsOf(
    lines,
    ({ at }) => at,
    ({ window }) => window?.startedAt ?? null,
    ({ window }) => window?.starts ?? null,
  );
  return [...names(lines), ...more];
}

const SQL = {
  read: `SELECT account_id, line, next_at, emptied FROM lines
    JOIN unnest($1::text[], $2::text[]) AS k (account_id, line) USING (account_id, line)`,
  // Nobody stands in a line that is new and not due.
  put: `INSERT INTO lines (account_id, line, next_at, window_started_at, window_starts, emptied)
    SELECT account_id, line, next_at, coalesce(window_at, 0), coalesce(starts, 0), next_at IS NULL
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::int[])
      AS d (account_id, line, next_at, window_at, starts)
    ON CONFLICT (account_id, line) DO UPDATE SET
      next_at = least(lines.next_at, excluded.next_at),
      emptied = lines.emptied AND excluded.next_at IS NULL,
      window_starts = CASE excluded.window_started_at
        WHEN 0 THEN lines.window_starts ELSE excluded.window_starts END,
      window_started_at = CASE excluded.window_started_at
        WHEN 0 THEN lines.window_started_at ELSE excluded.window_started_at END
    WHERE lines.next_at IS NULL OR lines.next_at > excluded.next_at
      OR excluded.window_started_at > 0`,
} as const;
