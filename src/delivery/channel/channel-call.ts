import type { Outcome } from "../../core/model/message/attempt.ts";
import type { Clock } from "../../platform/clock.ts";
import { ABORTED, type Sending } from "../courier.ts";
import { noAnswer, tooLate } from "../http/network-error.ts";

/**
 * A delivery in a channel. If the channel breaks, it is sent as a request of its own, in the time
 * that is left.
 */
export class ChannelCall implements Sending {
  readonly outcome: Promise<Outcome>;
  /** Called when the channel no longer handles it. */
  onEnd: () => void = () => undefined;
  readonly head: string;
  readonly body: Uint8Array;
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #alone: (timeoutMs: number) => Sending;
  readonly #cancelDeadline: () => void;
  #resolve!: (outcome: Outcome | Promise<Outcome>) => void;
  #instead: Sending | null = null;
  #settled = false;

  constructor(
    delivery: { readonly head: string; readonly body: Uint8Array; readonly timeoutMs: number },
    clock: Clock,
    alone: (timeoutMs: number) => Sending,
  ) {
    this.head = delivery.head;
    this.body = delivery.body;
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + delivery.timeoutMs;
    this.#alone = alone;
    this.#cancelDeadline = clock.after(delivery.timeoutMs, () => {
      this.settle(noAnswer(tooLate(delivery.timeoutMs)));
    });
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  settle(outcome: Outcome): void {
    if (this.#leave()) this.#resolve(outcome);
  }

  goAlone(): void {
    if (!this.#leave()) return;
    this.#instead = this.#alone(Math.max(1, this.#endsAt - this.#clock.monotonic()));
    this.#resolve(this.#instead.outcome);
  }

  #leave(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#cancelDeadline();
    this.onEnd();
    return true;
  }

  release(): void {
    this.#instead?.release?.();
  }

  abort(): void {
    if (this.#instead === null) this.settle(noAnswer(ABORTED));
    else this.#instead.abort();
  }
}
