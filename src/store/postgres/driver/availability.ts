import type { Clock } from "../../../platform/clock.ts";
import type { Log } from "../../../platform/log.ts";
import { causeOf, DatabaseAway, isAnswer, isReplyTimeout } from "./errors.ts";

export interface AvailabilityOptions {
  /** Opens a connection of its own and asks something that is answered at once. */
  readonly probe: () => Promise<void>;
  readonly clock: Pick<Clock, "after" | "sleep" | "monotonic">;
  readonly log: Log | undefined;
}

/** Connections to the database. */
export interface Followed {
  /** Ends them all, and refuses those who wait for one. */
  end(error: DatabaseAway): void;
  /** Ends those that are not in use. */
  endIdle(): void;
}

interface Outage {
  readonly cause: string;
  readonly since: number;
}

/**
 * Whether the database answers. Silence is noticed when work waits and not a byte arrives: a probe on
 * a new connection then decides. During an outage nothing is asked, so that callers are refused at
 * once, and probes go on until one is answered. The log is told when an outage begins and ends.
 */
export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #closing = new AbortController();
  readonly #followed: Followed[] = [];
  #outage: Outage | null = null;
  #pending = 0;
  #quietLooks = 0;
  #cancelLook: (() => void) | null = null;
  #isProbing = false;
  #lost: { readonly cause: string; readonly count: number } | null = null;
  #lostToldAt = -Infinity;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Runs what waits for the database; refused at once during an outage. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    this.requireAnswers();
    if (this.#pending === 0) this.#quietLooks = 0;
    this.#pending += 1;
    this.#scheduleLook();
    try {
      return await work();
    } finally {
      this.#pending -= 1;
    }
  }

  requireAnswers(): void {
    if (this.#outage !== null) throw new DatabaseAway(this.#outage.cause);
  }

  /** The connections end when an outage begins. */
  follow(connections: Followed): void {
    this.#followed.push(connections);
  }

  /** Something has arrived from the server, on any connection. */
  heard(): void {
    this.#quietLooks = 0;
  }

  /** No connection could be made. */
  notConnected(error: unknown): void {
    if (!isAnswer(error)) this.#begin(error);
  }

  /** A connection has failed: perhaps only that one. */
  lost(error: unknown): void {
    if (this.#outage !== null || error instanceof DatabaseAway) return;
    this.#lost = { cause: causeOf(error), count: (this.#lost?.count ?? 0) + 1 };
    // The others may be as silent as the one that was given up.
    if (isReplyTimeout(error)) for (const connections of this.#followed) connections.endIdle();
    void this.#probe();
  }

  close(): void {
    this.#closing.abort();
    this.#cancelLook?.();
  }

  #scheduleLook(): void {
    if (this.#cancelLook !== null || this.#closing.signal.aborted) return;
    this.#cancelLook = this.#options.clock.after(LOOK_MS, () => {
      this.#cancelLook = null;
      if (this.#pending === 0) return;
      this.#quietLooks += 1;
      if (this.#quietLooks >= QUIET_LOOKS_MAX) void this.#probe();
      this.#scheduleLook();
    });
  }

  /** Asks the server once, and during an outage until it answers. */
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
    this.#quietLooks = 0;
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

const LOOK_MS = 500;
/** After so many looks at which nothing had arrived, the server is asked. */
const QUIET_LOOKS_MAX = 4;
const PROBE_EVERY_MS = 500;
const LOST_TOLD_EVERY_MS = 60_000;
