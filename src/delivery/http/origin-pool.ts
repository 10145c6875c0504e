/** The connections of each account to each origin, and the requests that wait for them. */

import type { Clock } from "../../platform/clock.ts";
import { ABORTED } from "../courier.ts";
import type { GuardedConnect } from "../guard/address-guard.ts";
import type { OutboundExchange } from "./outbound-exchange.ts";
import { Connection, type ConnectionOwner } from "./connection.ts";
import { DeliveryError } from "./network-error.ts";
import { type OriginRoom, OriginRooms, type RoomUser } from "./origin-room.ts";
import { targetOf, type Target } from "./target.ts";

export interface OriginPoolOptions {
  readonly clock: Clock;
  /** Bound the connections to an origin over all accounts. */
  readonly rooms: OriginRooms;
  readonly connect: GuardedConnect;
  /** Called when nothing is under way or waits and the last connection has closed. */
  readonly onUnused: (pool: OriginPool) => void;
}

/**
 * A request waits until a connection is free or a new one is open. A connection that is being
 * opened belongs to no request: it takes the one that has waited longest, and if it cannot be
 * opened that one fails. The most recently used connection is used first.
 */
export class OriginPool implements ConnectionOwner, RoomUser {
  /** Its name among the pools. */
  readonly key: string;
  readonly origin: string;
  readonly host: string;
  readonly #target: Target;
  readonly #options: OriginPoolOptions;
  readonly #waiting = new Set<OutboundExchange>();
  /** Connections that are being opened; an abort gives one up. */
  readonly #opening = new Map<Connection, AbortController>();
  /** How many of these are left over from requests that were taken back. */
  #leftOver = 0;
  /** While it has a connection, or a request waits for one. */
  #room: OriginRoom | null = null;
  readonly #open = new Set<Connection>();
  readonly #idle: Connection[] = [];
  #cancelSweep: (() => void) | null = null;

  constructor(key: string, origin: string, options: OriginPoolOptions) {
    this.key = key;
    this.origin = origin;
    this.host = new URL(origin).host;
    this.#target = targetOf(origin);
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#idle.length === this.#open.size;
  }

  get connections(): number {
    return this.#open.size + this.#opening.size;
  }

  /** A connection is open that carries nothing. */
  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  submit(exchange: OutboundExchange): void {
    const connection = this.#idle.pop();
    if (connection !== undefined) return connection.carry(exchange);
    this.#room ??= this.#options.rooms.enter(this.origin);
    this.#waiting.add(exchange);
    this.openMore();
  }

  withdraw(exchange: OutboundExchange): void {
    if (!this.#waiting.delete(exchange)) return;
    if (this.#opening.size > this.#waiting.size) this.#leftOver += 1;
    if (!this.#isShort) this.#room?.stopWaiting(this);
    if (this.#leftOver > 0 && this.#room?.isWanted === true) this.giveUpSpare();
    this.leaveIfUnused();
  }

  onFree(connection: Connection, idleMs: number): void {
    const mustYield = this.#room?.mustYield(this, this.#waiting.size > 0) === true;
    if (mustYield) connection.close(new DeliveryError(ABORTED));
    else this.#use(connection, idleMs);
  }

  onClosed(connection: Connection): void {
    this.#open.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#room?.give(this);
    this.openMore();
    this.leaveIfUnused();
  }

  /** A pool without a connection or a request is removed. */
  leaveIfUnused(): void {
    if (this.connections + this.#waiting.size > 0) return;
    if (this.#room !== null) this.#options.rooms.leave(this.origin);
    this.#room = null;
    this.#options.onUnused(this);
  }

  giveUpSpare(): boolean {
    const [idle] = this.#idle;
    if (idle !== undefined) idle.close(new DeliveryError(ABORTED));
    else if (this.#leftOver > 0) this.#giveUpOldest();
    else return false;
    return true;
  }

  /** Ends everything that is under way or waits; a request that comes later is carried. */
  destroy(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = null;
    for (const exchange of this.#waiting) exchange.abort();
    this.#waiting.clear();
    const error = new DeliveryError(ABORTED);
    for (const connection of this.#open) connection.close(error);
    while (this.#opening.size > 0) this.#giveUpOldest();
  }

  /** As many connections are being opened as requests wait, as far as there is room. */
  openMore(): void {
    while (this.#isShort && this.#room?.take(this) === true) void this.#openOne();
  }

  get #isShort(): boolean {
    return this.#opening.size - this.#leftOver < this.#waiting.size;
  }

  /** A connection that did not open while its request waited may never open. */
  #giveUpOldest(): void {
    for (const [connection, attempt] of this.#opening) {
      this.#forget(connection);
      attempt.abort();
      this.#room?.give(this);
      return this.leaveIfUnused();
    }
  }

  async #openOne(): Promise<void> {
    const connection = new Connection(this);
    const attempt = new AbortController();
    this.#opening.set(connection, attempt);
    try {
      const socket = await this.#options.connect(this.#target, connection, attempt.signal);
      if (attempt.signal.aborted) return void socket.destroy();
      this.#forget(connection);
      this.#open.add(connection);
      connection.open(socket);
      // It carries a request before it can be asked to make room.
      if (this.#waiting.size > 0) this.#use(connection, NEW_IDLE_MS);
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

  #use(connection: Connection, idleMs: number): void {
    const [next] = this.#waiting;
    if (next === undefined) return this.#keep(connection, idleMs);
    this.#waiting.delete(next);
    if (!this.#isShort) this.#room?.stopWaiting(this);
    connection.carry(next);
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

interface OriginPoolsOptions {
  readonly clock: Clock;
  /** Connections to one origin, over all accounts. */
  readonly connectionsMax: number;
  readonly connect: GuardedConnect;
  /** With more pools than this, idle ones are closed without waiting. */
  readonly poolsMax: number;
}

/**
 * One pool for each account and origin in use: an origin that answers late or twice, or has not read
 * a whole request, confuses no other account. A pool is removed with its last connection.
 */
export class OriginPools {
  /** Least recently used first. */
  readonly #pools = new Map<string, OriginPool>();
  readonly #poolsMax: number;
  readonly #poolOptions: OriginPoolOptions;

  constructor({ poolsMax, connectionsMax, ...options }: OriginPoolsOptions) {
    this.#poolsMax = poolsMax;
    const rooms = new OriginRooms(connectionsMax);
    this.#poolOptions = { ...options, rooms, onUnused: (pool) => this.#drop(pool) };
  }

  get size(): number {
    return this.#pools.size;
  }

  at(accountId: string, origin: string): OriginPool {
    const key = `${accountId} ${origin}`;
    const known = this.#pools.get(key);
    if (known !== undefined) {
      this.#pools.delete(key);
      this.#pools.set(key, known);
      return known;
    }
    this.#makeRoom();
    const pool = new OriginPool(key, origin, this.#poolOptions);
    this.#pools.set(key, pool);
    return pool;
  }

  destroy(): void {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    for (const pool of pools) pool.destroy();
  }

  #makeRoom(): void {
    if (this.#pools.size < this.#poolsMax) return;
    for (const pool of this.#pools.values()) {
      if (pool.isIdle) return this.#drop(pool);
    }
  }

  #drop(pool: OriginPool): void {
    if (this.#pools.get(pool.key) === pool) this.#pools.delete(pool.key);
    pool.destroy();
  }
}

/** How long a new connection for which no request is left may be idle. */
const NEW_IDLE_MS = 4_000;
/** How often idle connections are checked: well below the time that they may be idle. */
const SWEEP_MS = 500;
