/** The connections to one origin, and the requests that wait for them. */

import { callbackify } from "node:util";
import { Client } from "undici";
import type { GuardedConnect } from "../guard/address-guard.ts";
import type { Cargo, Carrier } from "./exchange.ts";
import type { Target } from "./tls.ts";

export interface OriginPoolOptions {
  readonly connectionsMax: number;
  readonly connect: GuardedConnect;
  /** Called when nothing is under way and the last connection has closed. */
  readonly onUnused: (pool: OriginPool) => void;
}

/** One connection of the HTTP client; it carries one request at a time. */
interface Connection {
  readonly client: Client;
  /** Closes the socket at any stage, even while it is being opened. */
  readonly socket: AbortController;
}

/**
 * Gives each connection one request at a time, and queues the rest itself: a request that waits
 * here can be taken back, one that waits in the HTTP client cannot. The most recently used
 * connection is used first.
 */
export class OriginPool implements Carrier {
  readonly origin: string;
  readonly #options: OriginPoolOptions;
  readonly #waiting = new Set<Cargo>();
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #carried = new Map<Cargo, Connection>();
  /** Requests without a connection yet whose callers have already left. */
  readonly #abandoned = new Set<Cargo>();

  constructor(origin: string, options: OriginPoolOptions) {
    this.origin = origin;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#carried.size === 0;
  }

  /** A connection is open that carries nothing. */
  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  submit(cargo: Cargo): void {
    const connection = this.#idle.pop() ?? this.#open();
    if (connection === null) this.#waiting.add(cargo);
    else this.#carry(cargo, connection);
  }

  abandoned(cargo: Cargo): void {
    if (this.#waiting.delete(cargo)) return;
    this.#abandoned.add(cargo);
    if (this.#abandoned.size >= this.#options.connectionsMax) this.#dropAbandoned();
  }

  released(cargo: Cargo): void {
    this.#abandoned.delete(cargo);
    const connection = this.#carried.get(cargo);
    if (connection === undefined) return;
    this.#carried.delete(cargo);
    const [next] = this.#waiting;
    if (next === undefined) this.#idle.push(connection);
    else {
      this.#waiting.delete(next);
      this.#carry(next, connection);
    }
  }

  /** Ends everything that is under way or waits. */
  async destroy(): Promise<void> {
    for (const cargo of this.#waiting) cargo.abort();
    await Promise.all([...this.#connections].map((connection) => this.#close(connection)));
  }

  #carry(cargo: Cargo, connection: Connection): void {
    this.#carried.set(cargo, connection);
    connection.client.dispatch(cargo.request, cargo);
  }

  /** All connections are held by aborted requests; close them to open new ones. */
  #dropAbandoned(): void {
    for (const cargo of this.#abandoned) {
      const connection = this.#carried.get(cargo);
      this.#carried.delete(cargo);
      if (connection !== undefined) void this.#close(connection);
    }
    this.#abandoned.clear();
    for (const cargo of this.#waiting) {
      const connection = this.#open();
      if (connection === null) return;
      this.#waiting.delete(cargo);
      this.#carry(cargo, connection);
    }
  }

  #open(): Connection | null {
    const { connect, connectionsMax } = this.#options;
    if (this.#connections.size >= connectionsMax) return null;
    const socket = new AbortController();
    const dial = callbackify((target: Target) => connect(target, socket.signal));
    const client = new Client(this.origin, {
      ...CLIENT_OPTIONS,
      connect: (target, callback) => {
        dial(target, (error, opened) => {
          if (error) callback(error, null);
          else callback(null, opened);
        });
      },
    });
    const connection = { client, socket };
    this.#connections.add(connection);
    client.on("disconnect", () => this.#closeIfIdle(connection));
    client.on("connectionError", () => this.#closeIfIdle(connection));
    return connection;
  }

  #closeIfIdle(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index === -1) return;
    this.#idle.splice(index, 1);
    void this.#close(connection);
    if (this.isIdle && this.#connections.size === 0) this.#options.onUnused(this);
  }

  async #close(connection: Connection): Promise<void> {
    this.#connections.delete(connection);
    connection.socket.abort();
    await connection.client.destroy();
  }
}

/** The client's own timeouts are off: they are coarse, and one deadline of ours covers all. */
const CLIENT_OPTIONS: Client.Options = {
  pipelining: 1,
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  maxHeaderSize: 16 * 1024,
};
