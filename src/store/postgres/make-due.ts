import { type DueLine, pairKey } from "../working-set.ts";
import { columnsOf } from "./columns.ts";
import type { Session } from "./connection.ts";
import { shareLines } from "./line-lock.ts";

/** Makes lines due, touching only those that are not due early enough; see line-lock.ts. */
export async function makeLinesDue(session: Session, due: readonly DueLine[]): Promise<void> {
  if (due.length === 0) return;
  const sorted = due.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  const [, rows] = await Promise.all([
    shareLines(session, sorted),
    session.query(SQL.read, names(sorted)),
  ]);
  const nextAt = new Map(
    rows.map((row) => [
      pairKey(row["account_id"] as string, row["line"] as string),
      row["next_at"] as number | null,
    ]),
  );
  const late = sorted.filter((line) => (nextAt.get(keyOf(line)) ?? Infinity) > line.at);
  if (late.length === 0) return;
  await session.query(SQL.makeDue, [...names(late), late.map(({ at }) => at)]);
}

const keyOf = ({ accountId, line }: DueLine): string => pairKey(accountId, line);

function names(lines: readonly DueLine[]): unknown[][] {
  return columnsOf(
    lines,
    ({ accountId }) => accountId,
    ({ line }) => line,
  );
}

const SQL = {
  read: `SELECT account_id, line, next_at FROM lines
    JOIN unnest($1::text[], $2::text[]) AS k (account_id, line) USING (account_id, line)`,
  makeDue: `INSERT INTO lines (account_id, line, next_at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
    ON CONFLICT (account_id, line) DO UPDATE SET next_at = excluded.next_at, emptied = false
    WHERE lines.next_at IS NULL OR lines.next_at > excluded.next_at`,
} as const;
