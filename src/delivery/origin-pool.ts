/** The connections to one origin, and the requests that wait for them. */

import { callbackify } from "node:util";
import { Pool } from "undici";
import type { GuardedConnect, Target } from "./address-guard.ts";
import type { Carrier, Exchange } from "./exchange.ts";

export interface OriginPoolOptions {
  readonly connectionsMax: number;
  readonly connect: GuardedConnect;
  /** Called when nothing is under way and the last connection has gone. */
  readonly onUnused: (pool: OriginPool) => void;
}

/**
 * Gives the HTTP client no more requests than it has connections, and keeps the rest itself:
 * what waits here can be taken back, what waits in the client cannot.
 */
export class OriginPool implements Carrier {
  readonly origin: string;
  readonly #options: OriginPoolOptions;
  readonly #waiting = new Set<Exchange>();
  #carried = new Set<Exchange>();
  /** Those carried that have no connection yet, and nobody who waits for them any more. */
  #abandoned = new Set<Exchange>();
  #sockets = new AbortController();
  #client: Pool;

  constructor(origin: string, options: OriginPoolOptions) {
    this.origin = origin;
    this.#options = options;
    this.#client = this.#openClient();
  }

  get isIdle(): boolean {
    return this.#carried.size === 0;
  }

  submit(exchange: Exchange): void {
    if (this.#carried.size < this.#options.connectionsMax) this.#carry(exchange);
    else this.#waiting.add(exchange);
  }

  abandoned(exchange: Exchange): void {
    if (this.#waiting.delete(exchange)) return;
    this.#abandoned.add(exchange);
    if (this.#abandoned.size >= this.#options.connectionsMax) this.#startAfresh();
  }

  released(exchange: Exchange): void {
    this.#abandoned.delete(exchange);
    if (this.#carried.delete(exchange)) this.#carryNext();
  }

  /** Ends whatever is under way or waits. */
  async destroy(): Promise<void> {
    for (const exchange of this.#waiting) exchange.abort();
    this.#sockets.abort();
    await this.#client.destroy();
  }

  #carry(exchange: Exchange): void {
    this.#carried.add(exchange);
    this.#client.dispatch(exchange.request, exchange);
  }

  #carryNext(): void {
    if (this.#carried.size >= this.#options.connectionsMax) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#carry(next);
  }

  /** Requests that nobody waits for hold every connection: do not wait for them either. */
  #startAfresh(): void {
    const stuckSockets = this.#sockets;
    const stuckClient = this.#client;
    this.#sockets = new AbortController();
    this.#carried = new Set();
    this.#abandoned = new Set();
    this.#client = this.#openClient();
    stuckSockets.abort();
    void stuckClient.destroy();
    for (let free = this.#options.connectionsMax; free > 0; free--) this.#carryNext();
  }

  #openClient(): Pool {
    const { connect, connectionsMax } = this.#options;
    const { signal } = this.#sockets;
    const open = callbackify((target: Target) => connect(target, signal));
    const client = new Pool(this.origin, {
      ...CLIENT_OPTIONS,
      connections: connectionsMax,
      connect: (target, callback) => {
        open(target, (error, socket) => {
          if (error) callback(error, null);
          else callback(null, socket);
        });
      },
    });
    const tellIfUnused = (): void => {
      if (client !== this.#client || !this.isIdle || client.stats.connected > 0) return;
      this.#options.onUnused(this);
    };
    client.on("disconnect", tellIfUnused);
    client.on("connectionError", tellIfUnused);
    return client;
  }
}

/** The client's own timeouts are off: they are coarse, and one deadline of ours covers all. */
const CLIENT_OPTIONS: Pool.Options = {
  pipelining: 1,
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  maxHeaderSize: 16 * 1024,
};
