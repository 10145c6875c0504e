/** The connections to one origin, and the requests that wait for them. */

import type { Clock } from "../../platform/clock.ts";
import { ABORTED } from "../courier.ts";
import type { GuardedConnect } from "../guard/address-guard.ts";
import type { Cargo } from "./cargo.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import { DeliveryError } from "./network-error.ts";
import { targetOf, type Target } from "./target.ts";

export interface OriginPoolOptions {
  readonly clock: Clock;
  readonly connectionsMax: number;
  readonly connect: GuardedConnect;
  /** Called when nothing is under way and the last connection has closed. */
  readonly onUnused: (pool: OriginPool) => void;
}

/**
 * A request waits until a connection is free or a new one is open. A connection that is being
 * opened belongs to no request: it takes the one that has waited longest, and if it cannot be
 * opened that one fails. The most recently used connection is used first.
 */
export class OriginPool implements ConnectionOwner {
  readonly origin: string;
  readonly host: string;
  readonly #target: Target;
  readonly #options: OriginPoolOptions;
  readonly #waiting = new Set<Cargo>();
  /** Connections that are being opened; an abort gives one up. */
  readonly #opening = new Map<Connection, AbortController>();
  /** How many of these are left over from requests that were taken back. */
  #leftOver = 0;
  readonly #open = new Set<Connection>();
  readonly #idle: Connection[] = [];
  #cancelSweep: (() => void) | null = null;

  constructor(origin: string, options: OriginPoolOptions) {
    this.origin = origin;
    this.host = new URL(origin).host;
    this.#target = targetOf(origin);
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#idle.length === this.#open.size;
  }

  /** A connection is open that carries nothing. */
  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  submit(cargo: Cargo): void {
    const connection = this.#idle.pop();
    if (connection !== undefined) return connection.carry(cargo);
    this.#waiting.add(cargo);
    this.#openMore();
  }

  withdraw(cargo: Cargo): void {
    const isWithdrawn = this.#waiting.delete(cargo);
    if (isWithdrawn && this.#opening.size > this.#waiting.size) this.#leftOver += 1;
  }

  onFree(connection: Connection, idleMs: number): void {
    const [next] = this.#waiting;
    if (next === undefined) return this.#keep(connection, idleMs);
    this.#waiting.delete(next);
    connection.carry(next);
  }

  onClosed(connection: Connection): void {
    this.#open.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#openMore();
    if (this.#open.size + this.#opening.size === 0) this.#options.onUnused(this);
  }

  /** Ends everything that is under way or waits; a request that comes later is carried. */
  destroy(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = null;
    for (const cargo of this.#waiting) cargo.abort();
    const error = new DeliveryError(ABORTED);
    for (const connection of this.#open) connection.close(error);
    for (const [connection, attempt] of this.#opening) {
      this.#forget(connection);
      attempt.abort();
    }
  }

  /** As many connections are being opened as requests wait, up to the limit. */
  #openMore(): void {
    while (this.#opening.size - this.#leftOver < this.#waiting.size) {
      const isFull = this.#opening.size + this.#open.size >= this.#options.connectionsMax;
      if (isFull && this.#leftOver === 0) return;
      if (isFull) this.#giveUpOldest();
      void this.#openOne();
    }
  }

  /** A connection that did not open while its request waited may never open. */
  #giveUpOldest(): void {
    for (const [connection, attempt] of this.#opening) {
      this.#forget(connection);
      return attempt.abort();
    }
  }

  async #openOne(): Promise<void> {
    const connection = new Connection(this);
    const attempt = new AbortController();
    this.#opening.set(connection, attempt);
    try {
      const socket = await this.#options.connect(this.#target, connection, attempt.signal);
      this.#forget(connection);
      this.#open.add(connection);
      connection.open(socket);
      if (attempt.signal.aborted) connection.close(new DeliveryError(ABORTED));
      else this.onFree(connection, NEW_IDLE_MS);
    } catch (error) {
      if (!attempt.signal.aborted) this.#failFirst(connection, error);
    }
  }

  #failFirst(connection: Connection, error: unknown): void {
    // The request of one that is left over has ended already.
    const [first] = this.#leftOver > 0 ? [] : this.#waiting;
    if (first !== undefined) this.#waiting.delete(first);
    this.#forget(connection);
    this.onClosed(connection);
    first?.onFailure(error);
  }

  #forget(connection: Connection): void {
    if (this.#opening.delete(connection) && this.#leftOver > 0) this.#leftOver -= 1;
  }

  #keep(connection: Connection, idleMs: number): void {
    connection.idleUntil = this.#options.clock.monotonic() + idleMs;
    this.#idle.push(connection);
    if (this.#cancelSweep === null) this.#sweepLater();
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#options.clock.after(SWEEP_MS, () => {
      this.#cancelSweep = null;
      const now = this.#options.clock.monotonic();
      const over = this.#idle.filter(({ idleUntil }) => idleUntil <= now);
      for (const connection of over) connection.close(new DeliveryError(ABORTED));
      if (this.#idle.length > 0) this.#sweepLater();
    });
  }
}

/** How long a new connection for which no request is left may be idle. */
const NEW_IDLE_MS = 4_000;
/** How often idle connections are checked: well below the time that they may be idle. */
const SWEEP_MS = 500;
