import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";

type Row = Readonly<Record<string, unknown>>;

/** Asks a database itself, past the service. */
export type Select = (sql: string) => Promise<readonly Row[]>;

export function selectInSqlite(path: string): Select {
  return async (sql) => {
    // A service that has just been started may be mending what the one before has left.
    const database = new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };
}

export function selectInPostgres(connectionString: string): Select {
  return async (sql) => {
    const client = new Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  };
}

/** A run has not ended, and neither a message nor a deadline is there to bring it on. */
export async function isStuck(select: Select): Promise<boolean> {
  const [row = {}] = await select(`SELECT
    (SELECT count(*) FROM runs WHERE phase = 0) AS runs,
    (SELECT count(*) FROM messages) + (SELECT count(*) FROM waiters) AS movers`);
  return Number(row["runs"]) > 0 && Number(row["movers"]) === 0;
}

/** Nothing of these runs is left that would ever be sent, waited for or told. */
export async function requireNothingLeft(select: Select, runIds: readonly string[]): Promise<void> {
  const those = runIds.map((runId) => `'${runId}'`).join(", ");
  const counts = HOT_TABLES.map(
    (table) => `(SELECT count(*) FROM ${table} WHERE run_id IN (${those})) AS ${table}`,
  );
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const [row = {}] = await select(`SELECT ${counts.join(", ")}`);
    const left = HOT_TABLES.filter((table) => Number(row[table]) !== 0);
    if (left.length === 0) return;
    // What was delivered when its node died is settled after the run has ended.
    if (performance.now() > giveUpAt) assert.fail(`rows are left in ${left.join(", ")}`);
    await wait(LOOK_EVERY_MS);
  }
}

/** The entries of a run are these: each step was opened once, and came to one result. */
export async function requireEntries(
  select: Select,
  runId: string,
  keys: readonly string[],
): Promise<void> {
  const entries = await select(`SELECT step_key FROM run_entries WHERE run_id = '${runId}'`);
  const found = entries.map((entry) => {
    const key = (entry["step_key"] ?? CALLBACK) as string;
    // The event id of a webhook is drawn.
    return key.startsWith("h:") ? HOOK : key;
  });
  assert.deepEqual(found.toSorted(), keys.toSorted());
}

/** The run, and one that it has invoked. */
export async function requireOneChild(select: Select, runId: string): Promise<void> {
  const [row] = await select(
    `SELECT count(*) AS runs FROM run_facts WHERE CAST(facts AS TEXT) LIKE '%"${runId}"%'`,
  );
  assert.equal(Number(row?.["runs"]), 2, "the run has not invoked one run");
}

/** The answer to a call, before the endpoint has made a result of it. */
export const CALLBACK = "callback";
/** That a run has created a webhook, under an id of its own. */
export const HOOK = "hook";
const PATIENCE_MS = 180_000;
const LOOK_EVERY_MS = 50;
const HOT_TABLES = ["messages", "waiters", "run_events", "dead_letters"];
