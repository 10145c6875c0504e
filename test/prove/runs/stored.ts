/** What the database holds of runs, read past the service. */
import { Client } from "pg";

export interface StoredRun {
  readonly runId: string;
  readonly phase: "started" | "success" | "failed" | "canceled";
  /** What it returned, as JSON. */
  readonly response: string | null;
  /** The run and the step that wait for it. */
  readonly invokerId: string | null;
  readonly invokerStep: string | null;
  /** What became of the call that reports its failure. */
  readonly report: string | null;
}

export interface StoredEntry {
  readonly runId: string;
  readonly kind: "plan" | "result";
  readonly name: string;
}

export interface Stored {
  readonly runs: readonly StoredRun[];
  readonly entries: readonly StoredEntry[];
  /** Runs of the dead letters, in whatever order. */
  readonly dead: readonly string[];
  /** Rows of the tables that are to be empty when all is over. */
  readonly left: Readonly<Record<string, number>>;
}

export class RunDatabase {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<RunDatabase> {
    const client = new Client({ connectionString: url });
    await client.connect();
    return new RunDatabase(client);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  /** Runs that have ended since some instant. */
  async endedSince(at: number): Promise<{ readonly runId: string; readonly endedAt: number }[]> {
    const rows = await this.#select(
      `SELECT run_id, ended_at FROM runs WHERE ended_at >= ${Math.floor(at)}`,
    );
    return rows.map((row) => ({ runId: String(row["run_id"]), endedAt: Number(row["ended_at"]) }));
  }

  async left(): Promise<Readonly<Record<string, number>>> {
    const counts = HOT.map(([name, rows]) => `(SELECT count(*) FROM ${rows}) AS "${name}"`);
    const [row] = await this.#select(`SELECT ${counts.join(", ")}`);
    return Object.fromEntries(Object.entries(row ?? {}).map(([name, n]) => [name, Number(n)]));
  }

  async read(): Promise<Stored> {
    const runs = await this.#select(
      `SELECT r.run_id, r.phase, r.failure, f.facts, f.response
         FROM runs r JOIN run_facts f USING (account_id, run_id, created_at)`,
    );
    const entries = await this.#select(
      "SELECT run_id, step_key, body FROM run_entries WHERE step_key ~ '^[pr]:'",
    );
    const dead = await this.#select("SELECT run_id FROM dead_letters");
    return {
      runs: runs.map(asRun),
      entries: entries.map(asEntry),
      dead: dead.map((row) => String(row["run_id"])),
      left: await this.left(),
    };
  }

  async #select(query: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#client.query<Record<string, unknown>>(query);
    return rows;
  }
}

function asRun(row: Record<string, unknown>): StoredRun {
  const { invoker } = JSON.parse(String(row["facts"])) as {
    invoker?: { runId: string; step: { stepName: string } };
  };
  const failure = JSON.parse(String(row["failure"])) as { call?: { state: string } } | null;
  const response = row["response"] as Buffer | null;
  return {
    runId: String(row["run_id"]),
    phase: PHASES[Number(row["phase"])]!,
    response: response === null ? null : response.toString(),
    invokerId: invoker?.runId ?? null,
    invokerStep: invoker?.step.stepName ?? null,
    report: failure?.call?.state ?? null,
  };
}

function asEntry(row: Record<string, unknown>): StoredEntry {
  const { stepName } = JSON.parse((row["body"] as Buffer).toString()) as { stepName: string };
  const kind = String(row["step_key"]).startsWith("p") ? "plan" : "result";
  return { runId: String(row["run_id"]), kind, name: stepName };
}

const PHASES = ["started", "success", "failed", "canceled"] as const;
const HOT: readonly (readonly [string, string])[] = [
  ["messages", "messages"],
  ["waiters", "waiters"],
  ["kept events", "run_events"],
  ["runs under way", "runs WHERE phase = 0"],
];
