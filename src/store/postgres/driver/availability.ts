import type { Clock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log.ts";
import {
  causeOf,
  DatabaseAway,
  isConnectionLost,
  isDiskFull,
  isReplyTimeout,
  isUnusable,
  outageIn,
  type OutageKind,
} from "./errors.ts";

export interface AvailabilityOptions {
  /** Opens a connection of its own and asks whether the server takes writes. */
  readonly probe: () => Promise<void>;
  readonly clock: Pick<Clock, "after" | "sleep" | "monotonic">;
  readonly log: Log | undefined;
}

export interface Followed {
  readonly openCount: number;
  /** Ends all connections, and rejects callers that wait for one. */
  end(error: DatabaseAway): void;
  endIdle(): void;
}

interface Outage {
  readonly kind: OutageKind;
  readonly cause: string;
  readonly since: number;
  /** The log tells of its end if it tells of its beginning. */
  readonly isLogged: boolean;
}

/**
 * Knows whether the database works for this node: it answers, takes writes and has a connection
 * left. When work waits and no byte arrives, a probe on a new connection decides. During an outage
 * callers are rejected at once, and probes continue until one succeeds. The log tells when an
 * outage begins and ends.
 */
export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #closing = new AbortController();
  readonly #followed: Followed[] = [];
  #outage: Outage | null = null;
  #pending = 0;
  #quietChecks = 0;
  #cancelCheck: (() => void) | null = null;
  #isProbing = false;
  #lost: { readonly cause: string; readonly count: number } | null = null;
  #lostLoggedAt = -Infinity;
  #refusalLoggedAt = -Infinity;
  #diskFullLoggedAt = -Infinity;
  #unusableSince = -Infinity;
  #unusableLoggedAt = -Infinity;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Runs work that needs the database; rejects at once during an outage. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    this.requireAnswers();
    if (this.#pending === 0) this.#quietChecks = 0;
    this.#pending += 1;
    this.#scheduleCheck();
    try {
      return await work();
    } finally {
      this.#pending -= 1;
    }
  }

  requireAnswers(): void {
    if (this.#outage !== null) throw new DatabaseAway(this.#outage.cause);
  }

  /** The connections are ended when an outage begins. */
  follow(connections: Followed): void {
    this.#followed.push(connections);
  }

  /** Bytes have arrived from the server, on any connection. */
  received(): void {
    this.#quietChecks = 0;
  }

  notConnected(error: unknown): void {
    const kind = outageIn(error);
    if (kind === null) this.#refused(error);
    else this.#begin(error, kind);
  }

  failed(error: unknown): void {
    if (isConnectionLost(error)) return this.lost(error);
    if (isUnusable(error)) return this.#unusable(error);
    if (!isDiskFull(error) || !this.#isNews(this.#diskFullLoggedAt)) return;
    this.#diskFullLoggedAt = this.#options.clock.monotonic();
    this.#options.log?.error("PostgreSQL's disk is full", { cause: causeOf(error) });
  }

  /** A connection has failed, perhaps only that one. */
  lost(error: unknown): void {
    if (this.#outage !== null || error instanceof DatabaseAway) return;
    this.#lost = { cause: causeOf(error), count: (this.#lost?.count ?? 0) + 1 };
    // Idle connections may be as dead as the one that timed out.
    if (isReplyTimeout(error)) for (const connections of this.#followed) connections.endIdle();
    void this.#probe();
  }

  /** A node whose data was moved meets this too, and ends before it is logged. */
  #unusable(error: unknown): void {
    if (!this.#isNews(this.#unusableLoggedAt)) return;
    if (this.#isNews(this.#unusableSince)) this.#unusableSince = this.#options.clock.monotonic();
    if (this.#options.clock.monotonic() - this.#unusableSince < UNUSABLE_LOGGED_AFTER_MS) return;
    this.#unusableLoggedAt = this.#options.clock.monotonic();
    this.#options.log?.error("PostgreSQL lacks what the server needs", { cause: causeOf(error) });
  }

  close(): void {
    this.#closing.abort();
    this.#cancelCheck?.();
  }

  #scheduleCheck(): void {
    if (this.#cancelCheck !== null || this.#closing.signal.aborted) return;
    this.#cancelCheck = this.#options.clock.after(CHECK_MS, () => {
      this.#cancelCheck = null;
      if (this.#pending === 0) return;
      this.#quietChecks += 1;
      if (this.#quietChecks >= QUIET_CHECKS_MAX) void this.#probe();
      this.#scheduleCheck();
    });
  }

  /** Probes once, and during an outage until the server answers. */
  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    while (!this.#closing.signal.aborted) {
      try {
        await this.#options.probe();
        this.#answered();
      } catch (error) {
        this.notConnected(error);
      }
      if (this.#outage === null) break;
      await this.#options.clock.sleep(PROBE_EVERY_MS, this.#closing.signal);
    }
    this.#isProbing = false;
  }

  #answered(): void {
    const { log, clock } = this.#options;
    this.#quietChecks = 0;
    if (this.#outage !== null) {
      const { since, isLogged } = this.#outage;
      const afterSeconds = Math.round((clock.monotonic() - since) / 1_000);
      this.#outage = null;
      if (isLogged) log?.warn("PostgreSQL is back", { afterSeconds });
    } else if (this.#lost !== null && this.#isNews(this.#lostLoggedAt)) {
      this.#lostLoggedAt = clock.monotonic();
      log?.warn("lost connections to PostgreSQL, which answers", this.#lost);
    }
    this.#lost = null;
  }

  /** The server opens no more connections; those that are open still work. */
  #refused(error: unknown): void {
    const hasNone = this.#followed.every(({ openCount }) => openCount === 0);
    if (this.#outage !== null || hasNone) this.#begin(error, "refused");
    else this.#logRefusal(error, "warn");
  }

  #begin(error: unknown, kind: OutageKind): void {
    if (this.#closing.signal.aborted) return;
    if (this.#outage !== null) return this.#goOn(error, kind, this.#outage);
    const cause = causeOf(error);
    const since = this.#options.clock.monotonic();
    this.#outage = { kind, cause, since, isLogged: this.#logOutage(error, kind) };
    this.#lost = null;
    for (const connections of this.#followed) connections.end(new DatabaseAway(cause));
    void this.#probe();
  }

  /** A server that was silent may come back read-only or without a connection left. */
  #goOn(error: unknown, kind: OutageKind, outage: Outage): void {
    if (kind === outage.kind || kind === "silent") return;
    const isLogged = this.#logOutage(error, kind) || outage.isLogged;
    this.#outage = { ...outage, kind, cause: causeOf(error), isLogged };
  }

  /** False when it was logged a short while ago. */
  #logOutage(error: unknown, kind: OutageKind): boolean {
    if (kind === "refused") return this.#logRefusal(error, "error");
    this.#options.log?.error(OUTAGE_TEXTS[kind], { cause: causeOf(error) });
    return true;
  }

  /** Other clients may take and leave the last connection many times a minute. */
  #logRefusal(error: unknown, level: "warn" | "error"): boolean {
    if (!this.#isNews(this.#refusalLoggedAt)) return false;
    this.#refusalLoggedAt = this.#options.clock.monotonic();
    this.#options.log?.[level](OUTAGE_TEXTS.refused, { cause: causeOf(error) });
    return true;
  }

  #isNews(loggedAt: number): boolean {
    return this.#options.clock.monotonic() - loggedAt > LOGGED_EVERY_MS;
  }
}

const OUTAGE_TEXTS: Readonly<Record<OutageKind, string>> = {
  silent: "PostgreSQL does not answer",
  "read-only": "PostgreSQL is read-only",
  refused: "PostgreSQL opens no more connections",
};
const CHECK_MS = 500;
/** After this many checks without a byte from the server, it is probed. */
const QUIET_CHECKS_MAX = 4;
const PROBE_EVERY_MS = 500;
const LOGGED_EVERY_MS = 60_000;
const UNUSABLE_LOGGED_AFTER_MS = 1_000;
