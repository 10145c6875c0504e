import type { LineKey } from "../../core/model/line-setting.ts";
import type { DueLine } from "../line-rows.ts";
import { pairKey } from "../row-keys.ts";
import type { WorkingSet } from "../working-set.ts";
import { columnsOf } from "./columns.ts";
import type { Session } from "./connection.ts";
import { keepLines, shareLines } from "./line-lock.ts";
import { removeLineSettings, useLines } from "./line-settings.ts";

/**
 * Answers whether it gave room to somebody who waited for it. Writes what has changed of lines, once no claim puts one of them to sleep and nobody forgets it;
 * see line-lock.ts. Only lines that are not due early enough are touched.
 */
export async function writeLines(
  session: Session,
  rows: WorkingSet,
  freedNow: readonly DueLine[],
): Promise<boolean> {
  const due = [...rows.lines.due.values()];
  const freed = [...rows.lines.freed.values(), ...freedNow];
  const used = [...rows.lines.used.values()];
  const removed = [...rows.lineSettings.removed.values()];
  if (due.length + freed.length + used.length + removed.length === 0) return false;
  const named = inOrder([...due, ...freed, ...used]);
  const [, , , changed, found] = await Promise.all([
    shareLines(session, named),
    keepLines(session, removed),
    removeLineSettings(session, removed),
    useLines(session, used),
    session.query(SQL.read, names(named)),
  ]);
  const nextAt = new Map(
    found.map((row) => [
      pairKey(row["account_id"] as string, row["line"] as string),
      row["next_at"] as number | null,
    ]),
  );
  const shut = new Set(
    found
      .filter((row) => row["next_at"] === null && row["emptied"] === false)
      .map((row) => pairKey(row["account_id"] as string, row["line"] as string)),
  );
  const isNew = new Set(changed.map(keyOf));
  const woken = freed.filter((line) => shut.has(keyOf(line)));
  const all = inOrder([...used.filter((line) => isNew.has(keyOf(line))), ...woken, ...due]);
  const late = all.filter(
    (line) => rows.lines.reset.has(keyOf(line)) || (nextAt.get(keyOf(line)) ?? Infinity) > line.at,
  );
  if (late.length === 0) return false;
  const windows = late.map((line) => rows.lines.reset.get(keyOf(line))?.at ?? null);
  await session.query(SQL.makeDue, [...names(late), late.map(({ at }) => at), windows]);
  return woken.length > 0;
}

/** Each line once, at its earliest. */
function inOrder(lines: readonly DueLine[]): DueLine[] {
  const earliest = new Map<string, DueLine>();
  for (const line of lines) {
    const known = earliest.get(keyOf(line));
    if (known === undefined || line.at < known.at) earliest.set(keyOf(line), line);
  }
  return [...earliest.values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const keyOf = ({ accountId, line }: LineKey): string => pairKey(accountId, line);

function names(lines: readonly DueLine[]): unknown[][] {
  return columnsOf(
    lines,
    ({ accountId }) => accountId,
    ({ line }) => line,
  );
}

const SQL = {
  read: `SELECT account_id, line, next_at, emptied FROM lines
    JOIN unnest($1::text[], $2::text[]) AS k (account_id, line) USING (account_id, line)`,
  makeDue: `INSERT INTO lines (account_id, line, next_at, window_started_at)
    SELECT account_id, line, next_at, coalesce(window_at, 0)
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
      AS d (account_id, line, next_at, window_at)
    ON CONFLICT (account_id, line) DO UPDATE SET
      next_at = least(lines.next_at, excluded.next_at), emptied = false,
      window_starts = CASE excluded.window_started_at WHEN 0 THEN lines.window_starts ELSE 0 END,
      window_started_at = CASE excluded.window_started_at
        WHEN 0 THEN lines.window_started_at ELSE excluded.window_started_at END
    WHERE lines.next_at IS NULL OR lines.next_at > excluded.next_at
      OR excluded.window_started_at > 0`,
} as const;
