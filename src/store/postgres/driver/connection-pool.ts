import { Client, Pool, type PoolClient } from "pg";

import { systemClock } from "../../../platform/clock.ts";
import type { Availability, Followed } from "./availability.ts";
import { connectionConfig } from "./connection-config.ts";
import { DatabaseAway, isReplyTimeout, NotConnected, ServerReadOnly } from "./errors.ts";
import { isFromServer, meaningOf } from "./sql-states.ts";

export interface ConnectionPoolOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly replyTimeoutMs: number;
  readonly availability?: Availability | undefined;
}

/**
 * The connections of one kind of work. An outage ends them; new ones are opened after it. When the
 * server opens no more, callers share those that are open.
 */
export class ConnectionPool implements Followed {
  readonly #pool: Pool;
  readonly #connectionsMax: number;
  readonly #availability: Availability | undefined;
  readonly #clients = new Set<PoolClient>();
  readonly #idle = new Set<PoolClient>();
  /** Rejects the callers that wait for a connection when none can be opened. */
  readonly #refusals = new Set<(error: unknown) => void>();
  /** Until then no further connection is opened, on the monotonic clock. */
  #growAt = -Infinity;

  constructor({ url, connectionsMax, replyTimeoutMs, availability }: ConnectionPoolOptions) {
    this.#connectionsMax = connectionsMax;
    this.#availability = availability;
    this.#pool = new Pool({
      ...connectionConfig(url),
      max: connectionsMax,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: replyTimeoutMs,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      // Statements are sent without waiting for earlier answers.
      pipeline: true,
    });
    this.#pool.on("connect", (client) => this.#add(client));
    this.#pool.on("acquire", (client) => this.#idle.delete(client));
    this.#pool.on("release", (_, client) => this.#idle.add(client));
    this.#pool.on("error", (error) => availability?.lost(error));
    availability?.follow(this);
  }

  get openCount(): number {
    return this.#clients.size;
  }

  /** An idle connection, or a new one, or the next of those that are open. */
  async connect(): Promise<PoolClient> {
    if (systemClock.monotonic() >= this.#growAt) this.#pool.options.max = this.#connectionsMax;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#connectOnce();
      } catch (error) {
        if (isPoolExhausted(error)) throw error;
        this.#availability?.notConnected(error);
        if (!isFromServer(error) && !(error instanceof DatabaseAway)) throw new NotConnected(error);
        if (meaningOf(error) !== "refused" || tries === SHARE_TRIES_MAX) throw error;
        if (this.#clients.size === 0) throw error;
        this.#share();
      }
    }
  }

  /** From now on, for a while, a caller waits for a connection that is open. */
  #share(): void {
    this.#pool.options.max = this.#clients.size;
    this.#growAt = systemClock.monotonic() + GROW_AGAIN_MS;
  }

  async #connectOnce(): Promise<PoolClient> {
    const { promise: refused, reject } = Promise.withResolvers<never>();
    const connecting = this.#pool.connect();
    this.#refusals.add(reject);
    try {
      return await Promise.race([connecting, refused]);
    } catch (error) {
      // The connection may still open after the caller was rejected.
      connecting.then((client) => client.release(true), ignore);
      throw error;
    } finally {
      this.#refusals.delete(reject);
    }
  }

  end(error: DatabaseAway): void {
    for (const refuse of this.#refusals) refuse(error);
    for (const client of this.#clients) client.connection.stream.destroy(error);
  }

  endIdle(): void {
    for (const client of this.#idle) client.connection.stream.destroy();
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #add(client: PoolClient): void {
    this.#clients.add(client);
    client.connection.stream.on("data", () => this.#availability?.received());
    // Without a listener, an error of a client in use ends the process, even while it is being
    // handed out.
    client.on("error", ignore);
    client.once("end", () => {
      this.#clients.delete(client);
      this.#idle.delete(client);
    });
  }
}

/** Asks a server on a connection of its own whether it answers and takes writes. */
export async function probe(url: string): Promise<void> {
  const client = new Client({
    ...connectionConfig(url),
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on("error", ignore);
  let isConnected = false;
  try {
    await client.connect();
    isConnected = true;
    const { rows } = await client.query<Record<string, unknown>>("SHOW transaction_read_only");
    if (rows[0]?.["transaction_read_only"] === "on") throw new ServerReadOnly();
    void client.end().catch(ignore);
  } catch (error) {
    client.connection.stream.destroy();
    if (!isConnected || isReplyTimeout(error) || tellsOfOutage(error)) throw error;
  }
}

/** A connection that breaks during a probe says less than the server itself. */
function tellsOfOutage(error: unknown): boolean {
  const meaning = meaningOf(error);
  return meaning === "not-running" || meaning === "read-only";
}

/** All connections were in use, which says nothing about the server. */
function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

function ignore(): void {}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 2_000;
const SHARE_TRIES_MAX = 3;
const GROW_AGAIN_MS = 5_000;
