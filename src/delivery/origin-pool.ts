/** The connections to one origin, and the requests that wait for them. */

import { callbackify } from "node:util";
import { Client } from "undici";
import type { GuardedConnect } from "./address-guard.ts";
import type { Carrier, Exchange } from "./exchange.ts";
import type { Target } from "./tls.ts";

export interface OriginPoolOptions {
  readonly connectionsMax: number;
  readonly connect: GuardedConnect;
  /** Called when nothing is under way and the last connection has gone. */
  readonly onUnused: (pool: OriginPool) => void;
}

/** One connection of the HTTP client; it carries one request at a time. */
interface Connection {
  readonly client: Client;
  /** Closes the socket at whatever stage, even while it is being opened. */
  readonly socket: AbortController;
}

/**
 * Gives each connection one request at a time, and keeps the rest itself: what waits here can be
 * taken back, what waits in the HTTP client cannot. The connection used last is used first.
 */
export class OriginPool implements Carrier {
  readonly origin: string;
  readonly #options: OriginPoolOptions;
  readonly #waiting = new Set<Exchange>();
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #carried = new Map<Exchange, Connection>();
  /** Those carried that have no connection yet, and nobody who waits for them any more. */
  readonly #abandoned = new Set<Exchange>();

  constructor(origin: string, options: OriginPoolOptions) {
    this.origin = origin;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#carried.size === 0;
  }

  submit(exchange: Exchange): void {
    const connection = this.#idle.pop() ?? this.#open();
    if (connection === null) this.#waiting.add(exchange);
    else this.#carry(exchange, connection);
  }

  abandoned(exchange: Exchange): void {
    if (this.#waiting.delete(exchange)) return;
    this.#abandoned.add(exchange);
    if (this.#abandoned.size >= this.#options.connectionsMax) this.#dropAbandoned();
  }

  released(exchange: Exchange): void {
    this.#abandoned.delete(exchange);
    const connection = this.#carried.get(exchange);
    if (connection === undefined) return;
    this.#carried.delete(exchange);
    const [next] = this.#waiting;
    if (next === undefined) this.#idle.push(connection);
    else {
      this.#waiting.delete(next);
      this.#carry(next, connection);
    }
  }

  /** Ends whatever is under way or waits. */
  async destroy(): Promise<void> {
    for (const exchange of this.#waiting) exchange.abort();
    await Promise.all([...this.#connections].map((connection) => this.#close(connection)));
  }

  #carry(exchange: Exchange, connection: Connection): void {
    this.#carried.set(exchange, connection);
    connection.client.dispatch(exchange.request, exchange);
  }

  /** Requests that nobody waits for hold every connection: do not wait for them either. */
  #dropAbandoned(): void {
    for (const exchange of this.#abandoned) {
      const connection = this.#carried.get(exchange);
      this.#carried.delete(exchange);
      if (connection !== undefined) void this.#close(connection);
    }
    this.#abandoned.clear();
    for (const exchange of this.#waiting) {
      const connection = this.#open();
      if (connection === null) return;
      this.#waiting.delete(exchange);
      this.#carry(exchange, connection);
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
    const place = this.#idle.indexOf(connection);
    if (place === -1) return;
    this.#idle.splice(place, 1);
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
