import { type Chore, pollMsOf } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";

/** Whether deliveries may start at all. An operator sets it for all nodes, in the store. */
export class DeliverySwitch implements Chore {
  readonly failure = "the pause switch of deliveries could not be read";
  readonly #options: Pick<EngineOptions, "store" | "bell" | "log" | "alone">;
  readonly #onTurned: () => void;
  #isOff = false;

  /** `onTurned` notifies the other nodes at once. */
  constructor(options: EngineOptions, onTurned: () => void) {
    this.#options = options;
    this.#onTurned = onTurned;
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  async runOnce(): Promise<number> {
    const { store, bell, log } = this.#options;
    const pollMs = pollMsOf(this.#options);
    const { isPaused } = await store.upcoming(pollMs);
    if (isPaused !== this.#isOff) {
      this.#isOff = isPaused;
      log.info(isPaused ? "deliveries are paused" : "deliveries go on");
      if (!isPaused) bell.ring();
      this.#onTurned();
    }
    return pollMs;
  }
}
