import { Client } from "pg";

/** What a database server did in a while. */
export interface ServerCounts {
  readonly statements: number;
  readonly transactions: number;
  readonly walBytes: number;
  readonly walSyncs: number;
  /** How many of its connections waited on average, by what they waited for. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** Counts what a database server does, through a connection of its own. */
export class ServerWatch {
  readonly #client: Client;
  readonly #waiting = new Map<string, number>();
  #samples = 0;
  #timer: NodeJS.Timeout | null = null;
  #sampling: Promise<void> = Promise.resolve();
  #before: Totals = NOTHING;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<ServerWatch> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    return new ServerWatch(client);
  }

  async begin(): Promise<void> {
    this.#waiting.clear();
    this.#samples = 0;
    this.#before = await this.#totals();
    this.#timer = setInterval(() => {
      this.#sampling = this.#sampling.then(() => this.#sample());
    }, SAMPLE_MS);
  }

  async end(): Promise<ServerCounts> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#sampling;
    const after = await this.#totals();
    const since = (name: keyof Totals): number => after[name] - this.#before[name];
    const mean = ([name, count]: [string, number]) => [name, count / this.#samples] as const;
    return {
      statements: since("statements"),
      transactions: since("transactions"),
      walBytes: since("walBytes"),
      walSyncs: since("walSyncs"),
      waiting: Object.fromEntries(Array.from(this.#waiting, mean)),
    };
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #sample(): Promise<void> {
    const { rows } = await this.#client.query<{ wait_event_type: string; count: string }>(WAITING);
    this.#samples += 1;
    for (const { wait_event_type: type, count } of rows) {
      this.#waiting.set(type, (this.#waiting.get(type) ?? 0) + Number(count));
    }
  }

  async #totals(): Promise<Totals> {
    const { rows } = await this.#client.query<Record<keyof Totals, string>>(TOTALS);
    const [row] = rows;
    return Object.fromEntries(
      Object.keys(NOTHING).map((name) => [name, Number(row?.[name as keyof Totals] ?? 0)]),
    ) as unknown as Totals;
  }
}

type Totals = Readonly<Record<"statements" | "transactions" | "walBytes" | "walSyncs", number>>;

const NOTHING: Totals = { statements: 0, transactions: 0, walBytes: 0, walSyncs: 0 };
const SAMPLE_MS = 50;
/** A connection that waits for its client waits for nothing. */
const WAITING = `SELECT wait_event_type, count(*) FROM pg_stat_activity
  WHERE state = 'active' AND pid <> pg_backend_pid() AND wait_event_type IS NOT NULL
    AND wait_event_type <> 'Client' GROUP BY 1`;
const TOTALS = `SELECT
  (SELECT sum(calls) FROM pg_stat_statements) AS statements,
  (SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database) AS transactions,
  (SELECT wal_bytes FROM pg_stat_wal) AS "walBytes",
  (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal') AS "walSyncs"`;
