import { Client, Pool, type PoolClient } from "pg";

import type { Availability, Followed } from "./availability.ts";
import { type DatabaseAway, isNotRunning, isReplyTimeout } from "./errors.ts";

export interface ConnectionPoolOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly replyTimeoutMs: number;
  readonly availability?: Availability | undefined;
}

/** The connections of one kind of work. An outage ends them; new ones are opened after it. */
export class ConnectionPool implements Followed {
  readonly #pool: Pool;
  readonly #availability: Availability | undefined;
  readonly #clients = new Set<PoolClient>();
  readonly #idle = new Set<PoolClient>();
  /** Rejects the callers that wait for a connection when none can be opened. */
  readonly #refusals = new Set<(error: unknown) => void>();

  constructor({ url, connectionsMax, replyTimeoutMs, availability }: ConnectionPoolOptions) {
    this.#availability = availability;
    this.#pool = new Pool({
      connectionString: url,
      max: connectionsMax,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: replyTimeoutMs,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      application_name: "postrider",
      // Statements are sent without waiting for earlier answers.
      pipeline: true,
    });
    this.#pool.on("connect", (client) => this.#add(client));
    this.#pool.on("acquire", (client) => this.#idle.delete(client));
    this.#pool.on("release", (_, client) => this.#idle.add(client));
    this.#pool.on("error", (error) => availability?.lost(error));
    availability?.follow(this);
  }

  /** An idle connection, or a new one. */
  async connect(): Promise<PoolClient> {
    const { promise: refused, reject } = Promise.withResolvers<never>();
    const connecting = this.#pool.connect();
    this.#refusals.add(reject);
    try {
      return await Promise.race([connecting, refused]);
    } catch (error) {
      // The connection may still open after the caller was rejected.
      connecting.then((client) => client.release(true), ignore);
      if (!isPoolExhausted(error)) this.#availability?.notConnected(error);
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

/** Asks a server on a connection of its own whether it answers. */
export async function probe(url: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
    application_name: "postrider",
  });
  client.on("error", ignore);
  let isConnected = false;
  try {
    await client.connect();
    isConnected = true;
    await client.query("SELECT 1");
    void client.end().catch(ignore);
  } catch (error) {
    client.connection.stream.destroy();
    if (!isConnected || isReplyTimeout(error) || isNotRunning(error)) throw error;
  }
}

/** All connections were in use, which says nothing about the server. */
function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

function ignore(): void {}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 2_000;
