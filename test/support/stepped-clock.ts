/** Clocks that a test sets while a service runs: that of its machine, and that of its database. */
import { Connection } from "pg";

import { type Clock, systemClock } from "../../src/platform/clock.ts";

/** Goes like the system's clock, and can be set. Its monotonic time goes on. */
export class SteppedClock implements Clock {
  #aheadMs = 0;

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  wall(): number {
    return this.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }

  after(ms: number, action: () => void): () => void {
    return systemClock.after(ms, action);
  }

  /** Sets it, and the clock that databases show to this process. */
  step(ms: number): void {
    this.#aheadMs += ms;
    databaseAheadMs = this.#aheadMs;
  }
}

let databaseAheadMs = 0;
const SHOWN = "clock_timestamp()";

/** What is asked of a database in this process is answered as if its machine's clock had been set. */
const { query } = Connection.prototype as unknown as { query: (text: string) => void };
Object.assign(Connection.prototype, {
  query(this: Connection, text: string): void {
    query.call(this, text.replaceAll(SHOWN, `(${SHOWN} + interval '${databaseAheadMs} ms')`));
  },
});
