/** The only source of time. `Date.now` and `setTimeout` are used nowhere else. */
export interface Clock {
  /** Unix milliseconds, the same on all nodes that share a store. */
  now(): number;
  /** Unix milliseconds of this machine: they jump after a suspension and when the clock is set. */
  wall(): number;
  /** Milliseconds from an arbitrary start that never step back. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `action` after `ms`, at most a day ahead; cancel with the function returned. */
  after(ms: number, action: () => void): () => void;
}

/**
 * A clock with due time, by which delays, retries and rates are measured. Due time equals `now`
 * until `now` steps back; from then on it follows the monotonic clock, ahead of `now` by the size
 * of the step.
 */
export interface DueClock extends Clock {
  /** Both times at one moment. */
  time(): ClockTime;
  /** Due time, which never steps back. */
  due(): number;
  /** Raises due time to one that the store or an earlier process has shown. */
  catchUp(dueAt: number): void;
  /** Calls `listener` after each step of `now`, with a negative number for a step back. */
  onStep(listener: (ms: number) => void): void;
}

export interface ClockTime {
  readonly now: number;
  /** How far due time is ahead of `now`. */
  readonly aheadMs: number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
      function done(): void {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      }
    }),
};
