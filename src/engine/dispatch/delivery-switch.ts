import type { MoveMark } from "../../core/model/account/account.ts";
import { type Chore, pollMsOf } from "../chore.ts";
import type { EngineOptions } from "../engine-options.ts";

type SwitchOptions = Pick<
  EngineOptions,
  "store" | "bell" | "log" | "alone" | "clock" | "onMoved" | "onSecretKey"
>;

/**
 * Whether deliveries may start at all. An operator sets it for all nodes, in the store, and so does a
 * move of the data for its last pass. The same record names the secret key in use.
 */
export class DeliverySwitch implements Chore {
  readonly failure = "the pause switch of deliveries could not be read";
  readonly #options: SwitchOptions;
  readonly #onTurned: () => void;
  #isOff = false;
  #pass: string | null = null;
  #passSeenAt = -Infinity;

  /** `onTurned` notifies the other nodes at once. */
  constructor(options: EngineOptions, onTurned: () => void) {
    this.#options = options;
    this.#onTurned = onTurned;
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  /** Nothing may be changed either. It ends by itself: the process of the move may have died. */
  get isStandingStill(): boolean {
    const { clock } = this.#options;
    return this.#pass !== null && clock.monotonic() - this.#passSeenAt < STAND_STILL_MS_MAX;
  }

  async runOnce(): Promise<number> {
    const { store, bell, log, onSecretKey } = this.#options;
    const pollMs = pollMsOf(this.#options);
    const { isPaused, move, secretKey } = await store.upcoming(pollMs);
    this.#look(move);
    if (secretKey !== null) onSecretKey(secretKey);
    const isOff = isPaused || this.isStandingStill;
    if (isOff !== this.#isOff) {
      this.#isOff = isOff;
      log.info(isOff ? (isPaused ? PAUSED : STANDING_STILL) : "deliveries go on");
      if (!isOff) bell.ring();
    } else if (!this.isStandingStill) return pollMs;
    this.#onTurned();
    return pollMs;
  }

  #look(move: MoveMark | null): void {
    const { clock, onMoved } = this.#options;
    if (move?.isMoved === true) onMoved?.(move.to);
    const pass = move?.standStill ?? null;
    if (pass !== this.#pass) this.#passSeenAt = clock.monotonic();
    this.#pass = pass;
  }
}

/** Longer than a last pass takes. */
const STAND_STILL_MS_MAX = 15_000;
const PAUSED = "deliveries are paused";
const STANDING_STILL =
  "the data moves to another store: nothing starts and changes are refused for a moment";
