import type { Clock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log.ts";
import { causeOf, DatabaseAway, isAnswer, isReplyTimeout } from "./errors.ts";

export interface AvailabilityOptions {
  /** Opens a connection of its own and sends a trivial query. */
  readonly probe: () => Promise<void>;
  readonly clock: Pick<Clock, "after" | "sleep" | "monotonic">;
  readonly log: Log | undefined;
}

export interface Followed {
  /** Ends all connections, and rejects callers that wait for one. */
  end(error: DatabaseAway): void;
  /** Ends the connections that are not in use. */
  endIdle(): void;
}

interface Outage {
  readonly cause: string;
  readonly since: number;
}

/**
 * Knows whether the database answers. When work waits and no byte arrives, a probe on a new
 * connection decides. During an outage callers are rejected at once, and probes continue until one is
 * answered. The log tells when an outage begins and ends.
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
  #lostToldAt = -Infinity;

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

  /** A connection could not be opened. */
  notConnected(error: unknown): void {
    if (!isAnswer(error)) this.#begin(error);
  }

  /** A connection has failed, perhaps only that one. */
  lost(error: unknown): void {
    if (this.#outage !== null || error instanceof DatabaseAway) return;
    this.#lost = { cause: causeOf(error), count: (this.#lost?.count ?? 0) + 1 };
    // Idle connections may be as dead as the one that timed out.
    if (isReplyTimeout(error)) for (const connections of this.#followed) connections.endIdle();
    void this.#probe();
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
        if (isAnswer(error)) this.#answered();
        else this.#begin(error);
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
      const afterSeconds = Math.round((clock.monotonic() - this.#outage.since) / 1_000);
      this.#outage = null;
      log?.warn("PostgreSQL is back", { afterSeconds });
    } else if (this.#lost !== null && clock.monotonic() - this.#lostToldAt > LOST_TOLD_EVERY_MS) {
      this.#lostToldAt = clock.monotonic();
      log?.warn("lost connections to PostgreSQL, which answers", this.#lost);
    }
    this.#lost = null;
  }

  #begin(error: unknown): void {
    if (this.#outage !== null || this.#closing.signal.aborted) return;
    const { log, clock } = this.#options;
    const cause = causeOf(error);
    this.#outage = { cause, since: clock.monotonic() };
    this.#lost = null;
    log?.error("PostgreSQL does not answer", { cause });
    for (const connections of this.#followed) connections.end(new DatabaseAway(cause));
    void this.#probe();
  }
}

const CHECK_MS = 500;
/** After this many checks without a byte from the server, it is probed. */
const QUIET_CHECKS_MAX = 4;
const PROBE_EVERY_MS = 500;
const LOST_TOLD_EVERY_MS = 60_000;
