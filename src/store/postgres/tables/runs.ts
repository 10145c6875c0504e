import type { RunNeed } from "../../../core/rule.ts";
import { toRunState } from "../../records/run-records.ts";
import { RUN_KEY } from "../../records/run-tables.ts";
import { namesOf } from "../../records/table.ts";
import type { RunRows } from "../../group/run-rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf } from "../group/columns.ts";
import { hasKey, isAt, withRow } from "../group/rows-by-key.ts";
import { arraysOf } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { type FoundNeed, loadWaits } from "./waits.ts";

/**
 * Locks and loads runs by key, then what the rules need of them: the rows of a run are changed only
 * under its lock, so they need none of their own.
 */
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
  const found = needs.flatMap((need): FoundNeed[] => {
    const state = rows.runs.find(need.ref);
    return state === null ? [] : [{ need, state }];
  });
  await Promise.all([
    loadSteps(session, found, rows.runs),
    loadPayloads(session, found, rows.runs),
    loadWaits(session, found, rows.runs),
  ]);
}

async function loadSteps(session: Session, found: FoundNeed[], runs: RunRows): Promise<void> {
  const wanted = found.flatMap(({ need, state }) =>
    (need.stepKeys ?? []).map((stepKey) => ({ state, stepKey })),
  );
  if (wanted.length === 0) return;
  const keys = arraysOf(
    RUN_KEY,
    wanted.map(({ state }) => state),
  );
  const stepKeys = wanted.map(({ stepKey }) => stepKey);
  for (const row of await session.query(SQL.steps, [...keys, stepKeys])) {
    const { state, stepKey } = wanted[(row["nth"] as number) - 1]!;
    runs.loadStep(state, stepKey, row["message_id"] as string);
  }
}

async function loadPayloads(session: Session, found: FoundNeed[], runs: RunRows): Promise<void> {
  const wanted = found.filter(({ need }) => need.payload === true).map(({ state }) => state);
  if (wanted.length === 0) return;
  for (const row of await session.query(SQL.payloads, arraysOf(RUN_KEY, wanted))) {
    runs.loadPayload(wanted[(row["nth"] as number) - 1]!, row["body"] as Uint8Array);
  }
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
  steps: `SELECT k.nth, e.message_id
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
      WITH ORDINALITY AS k (account_id, run_id, created_at, step_key, nth)
    CROSS JOIN LATERAL (
      SELECT message_id FROM run_entries WHERE ${hasKey([...KEY, "step_key"])} OFFSET 0
    ) e`,
  payloads: `SELECT k.nth, e.body
    FROM unnest($1::text[], $2::text[], $3::bigint[])
      WITH ORDINALITY AS k (account_id, run_id, created_at, nth)
    CROSS JOIN LATERAL (
      SELECT body FROM run_entries WHERE ${hasKey(KEY)} AND ordinal = 0 OFFSET 0
    ) e`,
} as const;
