/** The only source of time. `Date.now` and `setTimeout` are used nowhere else. */
export interface Clock {
  /** Unix milliseconds, as all nodes have them that share a store. */
  now(): number;
  /** Unix milliseconds, as this machine has them: they jump when it was asleep, or its clock is set. */
  wall(): number;
  /** Milliseconds from an arbitrary start that never step back. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `action` after `ms`, at most a day ahead; cancel with the function returned. */
  after(ms: number, action: () => void): () => void;
}

/**
 * A clock that also tells due time, by which delays, retries and rates are measured. Due time is `now`
 * until that steps back; it then goes on by the monotonic clock, ahead of `now` by the size of the step.
 */
export interface DueClock extends Clock {
  /** Both of one moment. */
  time(): ClockTime;
  /** Due time, which never steps back. */
  due(): number;
  /** Another clock that is shared with this one, or was before, has shown this due time. */
  catchUp(dueAt: number): void;
  /** From now on calls `listener` after each step of `now`; a negative number says that it went back. */
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
