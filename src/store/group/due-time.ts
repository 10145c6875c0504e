import type { Instant } from "../../core/model/time.ts";
import { type MessageState, NO_DELAY } from "../../core/model/message/message.ts";
import type { LineSnapshot } from "../../core/model/line/line.ts";
import type { ClockTime } from "../../platform/clock.ts";

/**
 * Converts instants of the clock, which rules use, into due time, which the store keeps, and back.
 * One for each transaction; acts are converted one after the other.
 */
export class DueTime {
  readonly #time: ClockTime;
  #shiftMs: number;

  constructor(time: ClockTime) {
    this.#time = time;
    this.#shiftMs = time.aheadMs;
  }

  /** An act made after now was on its way when the clock was set back: it is due now. */
  begin(madeAt: Instant): void {
    this.#shiftMs = this.#time.aheadMs - Math.max(0, madeAt - this.#time.now);
  }

  of(instant: Instant): Instant {
    return instant + this.#shiftMs;
  }

  /** Converts what changed in a state. A rule that makes a message wait sets when it is ready. */
  ofState(state: MessageState, before: MessageState | undefined): MessageState {
    if (this.#shiftMs === 0) return state;
    const { phase, readyAt, leasedAt } = state;
    const isAnew = before === undefined || phase === "waiting";
    return {
      ...state,
      readyAt: isAnew && readyAt !== NO_DELAY ? this.of(readyAt) : readyAt,
      leasedAt: leasedAt === null || leasedAt === before?.leasedAt ? leasedAt : this.of(leasedAt),
    };
  }

  /** A line's snapshot in the time of the clock. */
  shown(snapshot: LineSnapshot): LineSnapshot {
    if (this.#shiftMs === 0) return snapshot;
    const { running, nextReadyAt } = snapshot;
    return {
      ...snapshot,
      nextReadyAt: nextReadyAt === null ? null : nextReadyAt - this.#shiftMs,
      running: running && {
        ...running,
        nextAt: running.nextAt === null ? null : running.nextAt - this.#shiftMs,
        windowStartedAt: running.windowStartedAt - this.#shiftMs,
      },
    };
  }
}

/** For changes that hold no instants of the clock. */
export const SAME_TIME: ClockTime = { now: Infinity, aheadMs: 0 };
