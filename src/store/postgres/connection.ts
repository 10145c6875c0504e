import { DatabaseError, escapeIdentifier, escapeLiteral, Pool, type PoolClient } from "pg";

import { Conversation, type Session } from "./conversation.ts";
import { isConnectionLost, isRepeatable, OutcomeUnknown } from "./errors.ts";
import { Prepared } from "./prepared.ts";

export interface ConnectionOptions {
  readonly url: string;
  readonly connectionsMax: number;
  /** Where the tables are; the server's default when absent. */
  readonly schema?: string | undefined;
  /** How long an answer may take before the connection is given up. */
  readonly replyTimeoutMs?: number;
  /** A connection that nobody was using has failed. */
  readonly onIdleError: (error: Error) => void;
}

export interface TransactionOptions {
  readonly lockTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
}

/**
 * A few connections to one database. It keeps no state in them where a pooler may lie between, and
 * nothing but prepared statements elsewhere.
 */
export class Connections {
  readonly #pool: Pool;
  readonly #prepared = new Prepared();
  readonly #searchPath: string;

  constructor(options: ConnectionOptions) {
    const { schema } = options;
    this.#searchPath =
      schema === undefined ? "" : `SET LOCAL search_path = ${escapeIdentifier(schema)};`;
    this.#pool = new Pool({
      connectionString: options.url,
      max: options.connectionsMax,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: options.replyTimeoutMs ?? REPLY_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      application_name: "postrider",
      // A statement is sent without waiting for the answer to the one before it.
      pipeline: true,
    });
    this.#pool.on("error", options.onIdleError);
    // A client that is in use when its server dies ends the process unless somebody listens, and
    // that may be in the very moment in which it is handed out.
    this.#pool.on("connect", (client) => client.on("error", ignore));
  }

  /**
   * Runs `work` in a transaction that is durable once this resolves. It is repeated after a failure
   * that left nothing behind, so `work` must have no effect of its own.
   */
  async transaction<T>(
    work: (session: Session) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${ONE_PLAN} ${this.#settings(options)}`;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#attempt(begin, work);
      } catch (error) {
        if (tries === TRIES_MAX || error instanceof OutcomeUnknown) throw error;
        if (!isRepeatable(error, tries)) throw error;
      }
    }
  }

  /** Runs `work` on one snapshot of the database. It writes nothing, so it may always be repeated. */
  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${this.#settings()}`;
    try {
      return await this.#look(begin, work);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      return this.#look(begin, work);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #settings({ lockTimeoutMs, statementTimeoutMs }: TransactionOptions = {}): string {
    const settings = [
      setting("synchronous_commit", "on"),
      setting("statement_timeout", String(statementTimeoutMs ?? STATEMENT_TIMEOUT_MS)),
      setting("lock_timeout", String(lockTimeoutMs ?? LOCK_TIMEOUT_MS)),
      setting("idle_in_transaction_session_timeout", String(IDLE_IN_TRANSACTION_MS)),
      setting("jit", "off"),
      ...BY_INDEX,
    ];
    return `${settings.join(" ")} ${this.#searchPath} SELECT ${NOW} AS now, ${PROCESS_ID} AS process_id`;
  }

  async #attempt<T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    const session = new Conversation(client, this.#prepared, begin);
    let reusable = false;
    let committing = false;
    try {
      const result = await work(session);
      await session.now();
      committing = true;
      const command = await (session.committed ?? commit(client));
      if (command !== "COMMIT") throw new Error("the transaction was rolled back");
      reusable = true;
      return result;
    } catch (error) {
      if (!isConnectionLost(error)) reusable = await rollBack(client);
      else if (committing || isDoubtful(error, session)) throw new OutcomeUnknown(error);
      throw error;
    } finally {
      this.#release(client, reusable);
    }
  }

  /** Answers before the transaction has ended, since nothing hangs on its end. */
  async #look<T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      return await work(new Conversation(client, this.#prepared, begin));
    } finally {
      void rollBack(client).then((reusable) => this.#release(client, reusable));
    }
  }

  #release(client: PoolClient, reusable: boolean): void {
    client.release(!reusable || this.#prepared.isSpoilt(client));
  }
}

/** Answers what it came to, since a transaction in which something failed is rolled back. */
async function commit(client: PoolClient): Promise<string> {
  return (await client.query("COMMIT")).command;
}

/** Whether a COMMIT may have been heard: an error that the server told of came before it. */
function isDoubtful(error: unknown, session: Conversation): boolean {
  return session.committed !== null && !(error instanceof DatabaseError);
}

/** False when the client is in a state that nobody knows. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch {
    return false;
  }
}

function setting(name: string, value: string): string {
  return `SET LOCAL ${name} = ${escapeLiteral(value)};`;
}

function ignore(): void {}

/**
 * Every row is found by a key or in the order of an index. What the server believes about tables
 * whose rows live for seconds, or which have just begun to grow, is never true, and must not lead it
 * away from them.
 */
const BY_INDEX = ["seqscan", "sort", "incremental_sort", "hashjoin", "mergejoin"].map((way) =>
  setting(`enable_${way}`, "off"),
);
/** Nothing that is written depends on its values for how it is done; by them it would be planned each time. */
const ONE_PLAN = setting("plan_cache_mode", "force_generic_plan");
const TRIES_MAX = 3;
const PROCESS_ID = "pg_backend_pid()";
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const REPLY_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 2_000;
const IDLE_IN_TRANSACTION_MS = 15_000;
const IDLE_TIMEOUT_MS = 60_000;
