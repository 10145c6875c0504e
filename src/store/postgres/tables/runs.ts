import type { RunNeed } from "../../../core/rule.ts";
import { loadOfRuns } from "../../group/load-runs.ts";
import { RUN_KEY, toRunState } from "../../records/run-tables.ts";
import { namesOf } from "../../records/table.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf } from "../group/columns.ts";
import { hasKey, isAt, withRow } from "../group/rows-by-key.ts";
import type { Session } from "../driver/conversation.ts";
import { runReading } from "../reads/run-reading.ts";

/** Locks and loads runs by key, then what the rules need of them. */
export async function loadRuns(
  session: Session,
  needs: readonly RunNeed[],
  rows: WorkingSet,
): Promise<void> {
  if (needs.length === 0) return;
  const refs = columnsOf(
    needs,
    ({ ref }) => ref.accountId,
    ({ ref }) => ref.runId,
    ({ ref }) => ref.createdAt ?? null,
  );
  for (const row of await session.query(SQL.lock, refs)) rows.runs.load(toRunState(row));
  await runReading(session, loadOfRuns(needs, rows.runs));
}

const KEY = namesOf(RUN_KEY);

const SQL = {
  // Locked one by one in key order. A name without a creation time means the latest run.
  lock: `SELECT r.*, f.facts FROM (
      SELECT DISTINCT k.account_id COLLATE "C" AS account_id, k.run_id COLLATE "C" AS run_id,
        COALESCE(k.created_at, l.created_at) AS created_at
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k (account_id, run_id, created_at)
      LEFT JOIN LATERAL (
        SELECT created_at FROM runs
        WHERE ${isAt(["account_id", "run_id"], ["k.account_id", "k.run_id"])}
          AND k.created_at IS NULL
        ORDER BY account_id DESC, run_id DESC, created_at DESC LIMIT 1
      ) l ON true
      ORDER BY 1, 2, 3
    ) k
    CROSS JOIN LATERAL (SELECT * FROM runs WHERE ${hasKey(KEY)} FOR UPDATE) r
    ${withRow("run_facts", KEY, "f")}`,
} as const;
