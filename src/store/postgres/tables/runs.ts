import type { RunState } from "../../../core/model/workflow/run.ts";
import type { RunNeed } from "../../../core/run-rows.ts";
import { failureText, kindNumber, phaseNumber, toRunState } from "../../records/run-records.ts";
import type { RunRows } from "../../group/run-rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf, packBodies } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { type FoundNeed, keyColumns } from "./run-keys.ts";
import { loadWaits, writeWaits } from "./waits.ts";

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
  const keys = keyColumns(wanted.map(({ state }) => state));
  const stepKeys = wanted.map(({ stepKey }) => stepKey);
  for (const row of await session.query(SQL.steps, [...keys, stepKeys])) {
    const { state, stepKey } = wanted[(row["nth"] as number) - 1]!;
    runs.loadStep(state, stepKey, row["message_id"] as string);
  }
}

async function loadPayloads(session: Session, found: FoundNeed[], runs: RunRows): Promise<void> {
  const wanted = found.filter(({ need }) => need.payload === true).map(({ state }) => state);
  if (wanted.length === 0) return;
  for (const row of await session.query(SQL.payloads, keyColumns(wanted))) {
    runs.loadPayload(wanted[(row["nth"] as number) - 1]!, row["body"] as Uint8Array);
  }
}

export async function writeRuns(session: Session, { runs }: WorkingSet): Promise<void> {
  const put = async (sql: string, columns: unknown[]): Promise<void> => {
    if ((columns[0] as unknown[]).length > 0) await session.query(sql, columns);
  };
  const responses = [...runs.ended.values()].filter(({ response }) => response !== null);
  await Promise.all([
    put(SQL.add, stateColumns(runs.added.values())),
    put(SQL.addFacts, factColumns(runs.added.values())),
    put(SQL.change, stateColumns(runs.changed.values())),
    put(SQL.restate, factColumns(runs.restated.values())),
    put(SQL.addEntries, entryColumns(runs)),
    writeWaits(session, runs),
    put(SQL.respond, [
      ...keyColumns(responses.map(({ run }) => run)),
      ...packBodies(responses.map(({ response }) => response!)),
    ]),
  ]);
}

function stateColumns(states: Iterable<RunState>): unknown[] {
  const rows = [...states];
  return [
    ...keyColumns(rows),
    ...columnsOf(
      rows,
      ({ phase }) => phaseNumber(phase),
      ({ nextOrdinal }) => nextOrdinal,
      ({ bytes }) => bytes,
      ({ storedEvents }) => storedEvents,
      ({ endedAt }) => endedAt,
      failureText,
    ),
  ];
}

function factColumns(states: Iterable<RunState>): unknown[] {
  const rows = [...states];
  return [...keyColumns(rows), rows.map(({ run }) => JSON.stringify(run))];
}

function entryColumns({ entries }: RunRows): unknown[] {
  const columns = columnsOf(
    entries,
    ({ ordinal }) => ordinal,
    ({ kind }) => kindNumber(kind),
    ({ messageId }) => messageId,
    ({ stepKey }) => stepKey,
    ({ at }) => at,
  );
  return [...keyColumns(entries), ...columns, ...packBodies(entries.map(({ body }) => body))];
}

const SQL = {
  // Locked one by one in key order. A name without a creation time means the latest run.
  lock: `SELECT r.*, f.facts FROM (
      SELECT DISTINCT k.account_id COLLATE "C" AS account_id, k.run_id COLLATE "C" AS run_id,
        COALESCE(k.created_at, l.created_at) AS created_at
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k (account_id, run_id, created_at)
      LEFT JOIN LATERAL (
        SELECT created_at FROM runs
        WHERE account_id = k.account_id AND run_id = k.run_id AND k.created_at IS NULL
        ORDER BY created_at DESC LIMIT 1
      ) l ON true
      ORDER BY 1, 2, 3
    ) k
    CROSS JOIN LATERAL (
      SELECT * FROM runs
      WHERE account_id = k.account_id AND run_id = k.run_id AND created_at = k.created_at
      FOR UPDATE
    ) r
    JOIN run_facts f
      ON f.account_id = r.account_id AND f.run_id = r.run_id AND f.created_at = r.created_at`,
  steps: `SELECT k.nth, e.message_id
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
      WITH ORDINALITY AS k (account_id, run_id, created_at, step_key, nth)
    JOIN run_entries e ON e.account_id = k.account_id AND e.run_id = k.run_id
      AND e.created_at = k.created_at AND e.step_key = k.step_key`,
  payloads: `SELECT k.nth, e.body
    FROM unnest($1::text[], $2::text[], $3::bigint[])
      WITH ORDINALITY AS k (account_id, run_id, created_at, nth)
    JOIN run_entries e ON e.account_id = k.account_id AND e.run_id = k.run_id
      AND e.created_at = k.created_at AND e.ordinal = 0`,
  add: `INSERT INTO runs (account_id, run_id, created_at, phase, next_ordinal, bytes,
      stored_events, ended_at, failure)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::smallint[], $5::int[],
      $6::bigint[], $7::int[], $8::bigint[], $9::text[])`,
  addFacts: `INSERT INTO run_facts (account_id, run_id, created_at, facts)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])`,
  change: `UPDATE runs SET phase = r.phase, next_ordinal = r.next_ordinal, bytes = r.bytes,
      stored_events = r.stored_events, ended_at = r.ended_at, failure = r.failure
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::smallint[], $5::int[],
      $6::bigint[], $7::int[], $8::bigint[], $9::text[])
      AS r (account_id, run_id, created_at, phase, next_ordinal, bytes, stored_events, ended_at,
        failure)
    WHERE runs.account_id = r.account_id AND runs.run_id = r.run_id
      AND runs.created_at = r.created_at`,
  restate: `UPDATE run_facts SET facts = r.facts
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
      AS r (account_id, run_id, created_at, facts)
    WHERE run_facts.account_id = r.account_id AND run_facts.run_id = r.run_id
      AND run_facts.created_at = r.created_at`,
  respond: `UPDATE run_facts SET response = substr($4::bytea, r.start, r.length)
    FROM unnest($1::text[], $2::text[], $3::bigint[], $5::int[], $6::int[])
      AS r (account_id, run_id, created_at, start, length)
    WHERE run_facts.account_id = r.account_id AND run_facts.run_id = r.run_id
      AND run_facts.created_at = r.created_at`,
  addEntries: `INSERT INTO run_entries (account_id, run_id, created_at, ordinal, kind, message_id,
      step_key, at, body)
    SELECT account_id, run_id, created_at, ordinal, kind, message_id, step_key, at,
      substr($9::bytea, start, length)
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::int[], $5::smallint[], $6::text[],
      $7::text[], $8::bigint[], $10::int[], $11::int[])
      AS e (account_id, run_id, created_at, ordinal, kind, message_id, step_key, at, start, length)`,
} as const;
