import type { Clock } from "./clock.ts";

/**
 * Calls `runOnce` repeatedly. It returns the wait before the next call; a wake ends the wait. An
 * error is passed to `onError`, and the loop continues after a pause.
 */
export class Loop {
  readonly #clock: Clock;
  readonly #runOnce: () => Promise<number>;
  readonly #onError: (error: unknown) => void;
  #stopping = false;
  #woken = false;
  #wake: AbortController | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(clock: Clock, runOnce: () => Promise<number>, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#runOnce = runOnce;
    this.#onError = onError;
  }

  start(): void {
    this.#running = this.#run();
  }

  wake(): void {
    this.#woken = true;
    this.#wake?.abort();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      const waitMs = await this.#runSafely();
      // A wake during the run may concern work that the run had already passed, so run again at
      // once.
      if (this.#woken) continue;
      this.#wake = new AbortController();
      await this.#clock.sleep(waitMs, this.#wake.signal);
      this.#wake = null;
    }
  }

  async #runSafely(): Promise<number> {
    try {
      return await this.#runOnce();
    } catch (error) {
      this.#onError(error);
      return ERROR_PAUSE_MS;
    }
  }
}

const ERROR_PAUSE_MS = 500;
