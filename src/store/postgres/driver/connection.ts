import { DatabaseError, type PoolClient } from "pg";

import { systemClock } from "../../../platform/clock.ts";

import type { Row } from "../../records/rows.ts";
import type { Availability } from "./availability.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { Conversation, type Session } from "./conversation.ts";
import { isConnectionLost, isRepeatable, OutcomeUnknown, ServerReadOnly } from "./errors.ts";
import { type Opening, Openings, type TransactionOptions } from "./opening.ts";
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

/** The rows of one statement, and the database's clock. */
export interface OneRead {
  readonly now: number;
  readonly rows: readonly Row[];
}

/** For work that callers or other nodes wait for: small, and as a rule done in milliseconds. */
export const PROMPT = { statementTimeoutMs: 5_000 } satisfies TransactionOptions;
/** For one row or a few; a request may need several such reads in turn. */
export const IMMEDIATE: TransactionOptions = { statementTimeoutMs: 2_000 };

/**
 * A few connections to one database. They hold no session state when a pooler may be in between,
 * and otherwise prepared statements and settings that never change.
 */
export class Connections {
  readonly #pool: ConnectionPool;
  readonly #availability: Availability | undefined;
  readonly #prepared = new Prepared();
  readonly #openings: Openings;
  /** Connections whose session has the settings that never change. */
  readonly #sessionsSet = new WeakSet<PoolClient>();
  /** When a connection was last known to answer, on the monotonic clock. */
  readonly #answeredAt = new WeakMap<PoolClient, number>();
  readonly #replyTimeoutMs: number;

  constructor(options: ConnectionOptions) {
    const { schema, replyTimeoutMs = REPLY_TIMEOUT_MS } = options;
    this.#openings = new Openings(schema);
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
    let lostAt = -Infinity;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#watched(() => this.#attempt(work, options, lostAt));
      } catch (error) {
        const isDoubted = error instanceof OutcomeUnknown;
        if (tries === TRIES_MAX || (isDoubted && options.isIdempotent !== true)) throw error;
        if (!isRepeatable(error, tries)) throw error;
        if (isDoubted || isConnectionLost(error)) lostAt = systemClock.monotonic();
      }
    }
  }

  /** Runs `work` on one snapshot. It writes nothing, so it may always be repeated. */
  read<T>(work: (session: Session) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#twice((lostAt) => this.#readOnce(work, options, lostAt));
  }

  /** One statement that reads, with the server's clock. It takes one round trip and no COMMIT. */
  readOne(text: string, values: readonly unknown[], options: TransactionOptions): Promise<OneRead> {
    return this.#twice((lostAt) => this.#askOnce(text, values, options, lostAt));
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  /** A connection may have been lost since it was last used. */
  async #twice<T>(read: (lostAt: number) => Promise<T>): Promise<T> {
    try {
      return await this.#watched(() => read(-Infinity));
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      const lostAt = systemClock.monotonic();
      return this.#watched(() => read(lostAt));
    }
  }

  /**
   * Takes a connection that is new or has answered since `lostAt`: what ended one may have ended
   * them all.
   */
  async #connect(lostAt: number): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if ((this.#answeredAt.get(client) ?? Infinity) > lostAt) return client;
      client.release(true);
    }
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

  #converse(client: PoolClient, opening: Opening, options: TransactionOptions): Conversation {
    const answeredAt = this.#answeredAt.get(client) ?? -Infinity;
    return new Conversation(client, this.#prepared, opening, {
      replyMs: this.#replyMs(options),
      isFresh: systemClock.monotonic() - answeredAt < FRESH_MS,
    });
  }

  /** Whether the session has the settings that never change; the first time they are sent ahead. */
  #isSessionSet(client: PoolClient): boolean {
    if (!this.#prepared.isDirect(client)) return false;
    if (!this.#sessionsSet.has(client)) {
      this.#sessionsSet.add(client);
      client.query(this.#openings.session).catch(() => this.#prepared.spoil(client));
    }
    return true;
  }

  async #attempt<T>(
    work: (session: Session) => Promise<T>,
    options: TransactionOptions,
    lostAt: number,
  ): Promise<T> {
    const client = await this.#connect(lostAt);
    const opening = this.#openings.writing(options, this.#isSessionSet(client));
    const session = this.#converse(client, opening, options);
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
    work: (session: Session) => Promise<T>,
    options: TransactionOptions,
    lostAt: number,
  ): Promise<T> {
    const client = await this.#connect(lostAt);
    const opening = this.#openings.reading(options, this.#isSessionSet(client));
    const session = this.#converse(client, opening, options);
    try {
      return await work(session);
    } finally {
      void session.rollBack().then((reusable) => this.#release(client, reusable));
    }
  }

  async #askOnce(
    text: string,
    values: readonly unknown[],
    options: TransactionOptions,
    lostAt: number,
  ): Promise<OneRead> {
    const client = await this.#connect(lostAt);
    const opening = this.#openings.readingOne(options, this.#isSessionSet(client));
    const session = this.#converse(client, opening, options);
    let reusable = true;
    try {
      const [now, rows] = await Promise.all([session.now(), session.query(text, values)]);
      return { now, rows };
    } catch (error) {
      reusable = !isConnectionLost(error);
      throw error;
    } finally {
      this.#release(client, reusable);
    }
  }

  #release(client: PoolClient, reusable: boolean): void {
    this.#answeredAt.set(client, systemClock.monotonic());
    client.release(!reusable || this.#prepared.isSpoilt(client));
  }
}

/** Whether the COMMIT may have been executed: an error that the server reported came before it. */
function isDoubtful(error: unknown, session: Conversation): boolean {
  const isReported = error instanceof DatabaseError || error instanceof ServerReadOnly;
  return session.committed !== null && !isReported;
}

const TRIES_MAX = 3;
const REPLY_TIMEOUT_MS = 12_000;
/** How much longer than the server's own timeout an answer may take. */
const REPLY_SPARE_MS = 1_000;
/** A connection that answered this recently is taken to be alive. */
const FRESH_MS = 1_000;
