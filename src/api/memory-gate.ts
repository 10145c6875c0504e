import { Problem } from "../core/problem.ts";
import type { Clock } from "../platform/clock.ts";

export interface MemoryGateOptions {
  readonly clock: Clock;
  /** Bytes of bodies that may be in memory, being read or being stored. */
  readonly bytesMax: number;
  /** Requests that may wait for room, unread. */
  readonly waitingMax: number;
  readonly waitMsMax: number;
}

/** A request that waits for room. */
export interface Ticket {
  readonly admitted: Promise<void>;
  /** Nobody waits for it any more. */
  readonly cancel: () => void;
}

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/**
 * Bounds the memory that bodies take up. Large ones wait their turn unread, so that their senders
 * are slowed down by the network; small ones go through a reserve of their own.
 */
export class MemoryGate {
  readonly #options: MemoryGateOptions;
  readonly #waiting = new Set<Waiting>();
  #used = 0;

  constructor(options: MemoryGateOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  /** True when the bytes are reserved; false when the request has to wait. */
  enter(bytes: number): boolean {
    const isSmall = bytes <= SMALL_BYTES;
    const bytesMax = this.#options.bytesMax + (isSmall ? SMALL_RESERVE_BYTES : 0);
    if (this.#used + bytes > bytesMax || (!isSmall && this.#waiting.size > 0)) return false;
    this.#used += bytes;
    return true;
  }

  /** Reserves the bytes as soon as there is room; refuses when too many wait, or for too long. */
  wait(bytes: number): Ticket {
    const { clock, waitingMax, waitMsMax } = this.#options;
    if (this.#waiting.size >= waitingMax) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const finish = (settle: () => void): void => {
      cancelTimer();
      this.#waiting.delete(waiting);
      settle();
    };
    const waiting: Waiting = { bytes, admit: () => finish(resolve) };
    const refuse = (): void => finish(() => reject(busy()));
    const cancelTimer = clock.after(waitMsMax, refuse);
    this.#waiting.add(waiting);
    return { admitted: promise, cancel: refuse };
  }

  release(bytes: number): void {
    this.#used -= bytes;
    for (const waiting of this.#waiting) {
      if (this.#used + waiting.bytes > this.#options.bytesMax && this.#used > 0) return;
      this.#used += waiting.bytes;
      waiting.admit();
    }
  }
}

/** How much is let in at once: the largest body finds room beside others. */
export function gateLimits(largestBodyBytes: number): Omit<MemoryGateOptions, "clock"> {
  const bytesMax = Math.max(GATE_BYTES, largestBodyBytes + GATE_BYTES / 2);
  return { bytesMax, waitingMax: 1_000, waitMsMax: 30_000 };
}

function busy(): Problem {
  return new Problem("overloaded", "too many bodies are being received; try again", 5);
}

/** At most this much is small. */
export const SMALL_BYTES = 64 * 1024;
const SMALL_RESERVE_BYTES = 16 * 1024 * 1024;
const GATE_BYTES = 64 * 1024 * 1024;
