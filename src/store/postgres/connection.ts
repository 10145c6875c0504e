import { DatabaseError, escapeIdentifier, escapeLiteral, Pool, type PoolClient, types } from "pg";

import type { Row } from "../rows.ts";
import { isConnectionLost, isNotPrepared, isRepeatable, OutcomeUnknown } from "./errors.ts";
import { toParameter } from "./parameter.ts";
import { Prepared } from "./prepared.ts";

/** What may be asked inside a transaction. Statements that are not awaited travel together. */
export interface Session {
  /** The database's clock when the transaction began. */
  now(): Promise<number>;
  query(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** How many rows a statement has changed. */
  change(text: string, values?: readonly unknown[]): Promise<number>;
  /** The same with the COMMIT right behind it: nothing may be asked afterwards. */
  last(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The session of a transaction, and its end if it was asked for in there. */
interface Conversation extends Session {
  readonly commit: () => Promise<string> | null;
}

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
      types: { getTypeParser },
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
    const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; ${this.#settings(options)}`;
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
    const session = sessionOn(client, this.#prepared, begin);
    let reusable = false;
    let committing = false;
    try {
      const result = await work(session);
      await session.now();
      committing = true;
      const command = await (session.commit() ?? commit(client));
      if (command !== "COMMIT") throw new Error("the transaction was rolled back");
      reusable = true;
      return result;
    } catch (error) {
      if (!isConnectionLost(error)) reusable = await rollBack(client);
      else if (committing || isDoubtful(error, session)) throw new OutcomeUnknown(error);
      throw error;
    } finally {
      client.release(!reusable);
    }
  }

  /** Answers before the transaction has ended, since nothing hangs on its end. */
  async #look<T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      return await work(sessionOn(client, this.#prepared, begin));
    } finally {
      void rollBack(client).then((reusable) => client.release(!reusable));
    }
  }
}

/** Statements follow the BEGIN without waiting for its answer; should it fail, so do they. */
function sessionOn(client: PoolClient, prepared: Prepared, begin: string): Conversation {
  let failure: { readonly cause: unknown } | null = null;
  let committed: Promise<string> | null = null;
  const send = async (text: string, values?: readonly unknown[]) => {
    if (committed !== null) throw new Error("the transaction is over");
    gatherPackets(client);
    try {
      const name = values && prepared.nameOf(client, text);
      return await client.query<Row>({ name, text, values: values?.map(toParameter) });
    } catch (error) {
      // Those that follow the one that failed only say that the transaction is over.
      failure ??= { cause: error };
      if (isNotPrepared(error)) prepared.forget();
      throw failure.cause;
    }
  };
  const now = beginning(send(begin)).then((begun) => {
    prepared.answered(client, begun.processId);
    return begun.now;
  });
  now.catch(ignore);
  return {
    now: () => now,
    query: async (text, values) => (await send(text, values)).rows,
    change: async (text, values) => (await send(text, values)).rowCount ?? 0,
    last: async (text, values) => {
      await now;
      const answer = send(text, values);
      committed = commit(client);
      committed.catch(ignore);
      return (await answer).rows;
    },
    commit: () => committed,
  };
}

/** Answers what it came to, since a transaction in which something failed is rolled back. */
async function commit(client: PoolClient): Promise<string> {
  return (await client.query("COMMIT")).command;
}

/** Whether a COMMIT may have been heard: an error that the server told of came before it. */
function isDoubtful(error: unknown, session: Conversation): boolean {
  return session.commit() !== null && !(error instanceof DatabaseError);
}

/** What is asked in one turn leaves in one packet, and wakes the server once. */
function gatherPackets({ connection: { stream } }: PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** There is an answer for each of the statements of which it is the last. */
async function beginning(begun: Promise<unknown>): Promise<{ now: number; processId: number }> {
  const results = (await begun) as { rows: Row[] }[];
  const row = results.at(-1)?.rows[0];
  return { now: row?.["now"] as number, processId: row?.["process_id"] as number };
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

/** Instants fit a number, and bodies are plain bytes as with the other driver. */
function getTypeParser(id: number, format?: "text" | "binary"): (value: string) => unknown {
  if (id === INT8) return Number;
  const parse = types.getTypeParser(id, format) as (value: string) => unknown;
  if (id !== BYTEA) return parse;
  return (value) => {
    const { buffer, byteOffset, byteLength } = parse(value) as Buffer;
    return new Uint8Array(buffer, byteOffset, byteLength);
  };
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
const INT8: number = types.builtins.INT8;
const BYTEA: number = types.builtins.BYTEA;
const TRIES_MAX = 3;
const PROCESS_ID = "pg_backend_pid()";
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const REPLY_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 2_000;
const IDLE_IN_TRANSACTION_MS = 15_000;
const IDLE_TIMEOUT_MS = 60_000;
