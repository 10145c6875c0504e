import { keyLine, type LineLimits, UNLIMITED } from "../core/model/line.ts";
import type { FlowControl, Message } from "../core/model/message.ts";
import type { Clock } from "../platform/clock.ts";
import type { Store } from "../store/store.ts";
import { Remembered } from "./remembered.ts";

/**
 * Keeps what flow-control keys let through as their latest publisher said. It is stored before the
 * message is, and only when it differs from what was stored within the last second.
 */
export class FlowLimits {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #stored: Remembered<string>;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#stored = new Remembered({
      clock,
      keepMs: 1_000,
      countMax: 10_000,
      load: (key) => this.#limit(key),
    });
  }

  /** Nothing to wait for when the message has no key. */
  set({ accountId, flowControl }: Message): unknown {
    if (flowControl === undefined) return undefined;
    return this.#stored.get(JSON.stringify([accountId, flowControl]));
  }

  async #limit(key: string): Promise<string> {
    const [accountId, flowControl] = JSON.parse(key) as [string, FlowControl];
    const line = keyLine(flowControl.key);
    const limited = { accountId, line, limits: limitsOf(flowControl) };
    await this.#store.act({ rule: "limit-line", at: this.#clock.now(), limited });
    return key;
  }
}

function limitsOf({ parallelism, rate, periodMs }: FlowControl): LineLimits {
  return { ...UNLIMITED, parallelism: parallelism ?? null, rate: rate ?? null, periodMs };
}
