import { DatabaseError, escapeIdentifier, escapeLiteral, type PoolClient } from "pg";

import type { Availability } from "./availability.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { Conversation, type Session } from "./conversation.ts";
import { isConnectionLost, isRepeatable, OutcomeUnknown } from "./errors.ts";
import { Prepared } from "./prepared.ts";

export interface ConnectionOptions {
  readonly url: string;
  readonly connectionsMax: number;
  /** Where the tables are; the server's default when absent. */
  readonly schema?: string | undefined;
  /** How long an answer may take before the connection is closed. */
  readonly replyTimeoutMs?: number;
  /** Tracks outages; without it each connection notices them by itself. */
  readonly availability?: Availability | undefined;
}

export interface TransactionOptions {
  readonly lockTimeoutMs?: number;
  /** One second later without an answer the connection is closed; 0 for no limit. */
  readonly statementTimeoutMs?: number;
}

/** For work that callers or other nodes wait for: small, and as a rule done in milliseconds. */
export const PROMPT = { statementTimeoutMs: 5_000 } satisfies TransactionOptions;
/** For one row or a few; a request may need several such reads in turn. */
export const IMMEDIATE: TransactionOptions = { statementTimeoutMs: 2_000 };

/**
 * A few connections to one database. They hold no session state when a pooler may be in between,
 * and nothing but prepared statements otherwise.
 */
export class Connections {
  readonly #pool: ConnectionPool;
  readonly #availability: Availability | undefined;
  readonly #prepared = new Prepared();
  readonly #searchPath: string;
  readonly #replyTimeoutMs: number;

  constructor(options: ConnectionOptions) {
    const { schema, replyTimeoutMs = REPLY_TIMEOUT_MS } = options;
    this.#searchPath =
      schema === undefined ? "" : `SET LOCAL search_path = ${escapeIdentifier(schema)};`;
    this.#replyTimeoutMs = replyTimeoutMs;
    this.#availability = options.availability;
    this.#pool = new ConnectionPool({ ...options, replyTimeoutMs });
  }

  /**
   * Runs `work` in a transaction that is durable once this resolves. It is repeated after a failure
   * that left nothing behind, so `work` must have no side effects.
   */
  async transaction<T>(
    work: (session: Session) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL READ COMMITTED; ${ONE_PLAN} ${this.#settings(options)}, ${READ_ONLY}`;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#watched(() => this.#attempt(begin, work, this.#replyMs(options)));
      } catch (error) {
        if (tries === TRIES_MAX || error instanceof OutcomeUnknown) throw error;
        if (!isRepeatable(error, tries)) throw error;
      }
    }
  }

  /** Runs `work` on one snapshot. It writes nothing, so it may always be repeated. */
  async read<T>(
    work: (session: Session) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${this.#settings(options)}`;
    const readOnce = (): Promise<T> =>
      this.#watched(() => this.#readOnce(begin, work, this.#replyMs(options)));
    try {
      return await readOnce();
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      return readOnce();
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #watched<T>(work: () => Promise<T>): Promise<T> {
    if (this.#availability === undefined) return work();
    try {
      return await this.#availability.watch(work);
    } catch (error) {
      this.#availability.failed(error);
      throw error;
    }
  }

  #replyMs({ statementTimeoutMs = 0 }: TransactionOptions): number {
    return statementTimeoutMs === 0 ? this.#replyTimeoutMs : statementTimeoutMs + REPLY_SPARE_MS;
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

  async #attempt<T>(
    begin: string,
    work: (session: Session) => Promise<T>,
    replyMs: number,
  ): Promise<T> {
    const client = await this.#pool.connect();
    const session = new Conversation(client, this.#prepared, begin, replyMs);
    let reusable = false;
    let committing = false;
    try {
      const result = await work(session);
      await session.now();
      committing = true;
      const command = await (session.committed ?? session.commit());
      if (command !== "COMMIT") throw new Error("the transaction was rolled back");
      reusable = true;
      return result;
    } catch (error) {
      if (!isConnectionLost(error)) reusable = await session.rollBack();
      else if (committing || isDoubtful(error, session)) throw new OutcomeUnknown(error);
      throw error;
    } finally {
      this.#release(client, reusable);
    }
  }

  /** Returns before the transaction has ended, since nothing depends on its end. */
  async #readOnce<T>(
    begin: string,
    work: (session: Session) => Promise<T>,
    replyMs: number,
  ): Promise<T> {
    const client = await this.#pool.connect();
    const session = new Conversation(client, this.#prepared, begin, replyMs);
    try {
      return await work(session);
    } finally {
      void session.rollBack().then((reusable) => this.#release(client, reusable));
    }
  }

  #release(client: PoolClient, reusable: boolean): void {
    client.release(!reusable || this.#prepared.isSpoilt(client));
  }
}

/** Whether the COMMIT may have been executed: an error that the server reported came before it. */
function isDoubtful(error: unknown, session: Conversation): boolean {
  return session.committed !== null && !(error instanceof DatabaseError);
}

function setting(name: string, value: string): string {
  return `SET LOCAL ${name} = ${escapeLiteral(value)};`;
}

/**
 * Every row is found by a key or in the order of an index. The server's statistics are never right
 * for tables whose rows live for seconds or that have just begun to grow, so they must not change
 * the plan.
 */
const BY_INDEX = ["seqscan", "sort", "incremental_sort", "hashjoin", "mergejoin"].map((way) =>
  setting(`enable_${way}`, "off"),
);
/** Writes gain nothing from a plan for their values; without this they are planned each time. */
const ONE_PLAN = setting("plan_cache_mode", "force_generic_plan");
const TRIES_MAX = 3;
const PROCESS_ID = "pg_backend_pid()";
/** On a standby, and where the server's default says so. */
const READ_ONLY = "current_setting('transaction_read_only') = 'on' AS is_read_only";
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const STATEMENT_TIMEOUT_MS = 10_000;
const REPLY_TIMEOUT_MS = 12_000;
/** How much longer than the server's own timeout an answer may take. */
const REPLY_SPARE_MS = 1_000;
const LOCK_TIMEOUT_MS = 2_000;
const IDLE_IN_TRANSACTION_MS = 15_000;
