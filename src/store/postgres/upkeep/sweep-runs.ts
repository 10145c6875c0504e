import type { Row } from "../../records/rows.ts";
import { RUN_ENTRIES_SWEPT_MAX, type RunsSwept } from "../../sweep-limits.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { isAt, rowsByKey } from "../group/rows-by-key.ts";
import { RUN_KEY } from "../../records/run-tables.ts";
import { namesOf } from "../../records/table.ts";

/**
 * Removes runs that ended long ago and are not dead letters, up to a number of entries in total; at
 * least one run.
 */
export async function sweepRuns(
  session: Session,
  accountId: string,
  endedBefore: number,
  pageMax: number,
): Promise<RunsSwept> {
  const rows = await session.query(SQL.old, [accountId, endedBefore, pageMax]);
  const old = bounded(rows);
  if (old.length === 0) return { removed: 0, more: false };
  const keys = columnsOf(
    old,
    () => accountId,
    (row) => row["run_id"],
    (row) => row["created_at"],
  );
  await Promise.all(
    (["run_entries", "run_facts", "runs"] as const).map((table) =>
      session.query(removeFrom(table), keys),
    ),
  );
  return { removed: old.length, more: old.length < rows.length || rows.length === pageMax };
}

function bounded(rows: readonly Row[]): Row[] {
  let entries = 0;
  return rows.filter((row, index) => {
    entries += row["next_ordinal"] as number;
    return index === 0 || entries <= RUN_ENTRIES_SWEPT_MAX;
  });
}

const removeFrom = (table: "run_entries" | "run_facts" | "runs"): string =>
  `DELETE FROM ${table} USING ${rowsByKey(
    table,
    namesOf(RUN_KEY),
    "unnest($1::text[], $2::text[], $3::bigint[]) AS k (account_id, run_id, created_at)",
  )} gone
   WHERE ${table}.ctid = gone.ctid`;

const LETTER_RUN = ["account_id", "run_id", "run_created_at"];
const RUN = ["r.account_id", "r.run_id", "r.created_at"];

const SQL = {
  // runs_ended, dead_letters_run
  old: `SELECT run_id, created_at, next_ordinal FROM runs r
    WHERE account_id = $1 AND ended_at < $2
      AND (SELECT true FROM dead_letters WHERE run_id IS NOT NULL AND ${isAt(LETTER_RUN, RUN)}
        ORDER BY ${LETTER_RUN.join(", ")} LIMIT 1) IS NULL
    ORDER BY ended_at LIMIT $3 FOR UPDATE SKIP LOCKED`,
} as const;
