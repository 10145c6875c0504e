import type { IncomingMessage } from "node:http";
import { Problem } from "../../../core/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Room } from "../answers/answer.ts";
import { FairShare, type Held } from "./fair-share.ts";
import { waitForAdmission } from "./wait-for-admission.ts";

const MEBIBYTE = 1024 * 1024;
/** Bytes of responses in memory, being made or being written: of all accounts, and of one. */
export const ANSWER_BYTES_MAX = 96 * MEBIBYTE;
export const ACCOUNT_ANSWER_BYTES_MAX = 32 * MEBIBYTE;
const WAIT_MS_MAX = 10_000;
const WAITING_MAX = 250;

export function createAnswerMemory(clock: Clock): FairShare {
  return new FairShare({
    clock,
    accountMax: ACCOUNT_ANSWER_BYTES_MAX,
    totalMax: ANSWER_BYTES_MAX,
    waitMsMax: WAIT_MS_MAX,
    waitingMax: WAITING_MAX,
    refusal: () => new Problem("overloaded", "too many large answers at once; try again", 1),
  });
}

/** The memory of the response to one request, from before the data is read until it is written. */
export class AnswerRoom implements Room {
  readonly #memory: FairShare;
  readonly #accountId: string;
  readonly #request: IncomingMessage;
  #held: Held | null = null;
  #bytes = 0;

  constructor(memory: FairShare, accountId: string, request: IncomingMessage) {
    this.#memory = memory;
    this.#accountId = accountId;
    this.#request = request;
  }

  /** Waits until the response may use this much memory; refuses after a while. */
  readonly reserve = async (bytes: number): Promise<void> => {
    if (bytes <= this.#bytes) return;
    // Its memory is released first, or requests that each want more would wait for one another.
    this.release();
    const held = this.#memory.enter(this.#accountId, bytes);
    this.#held = held;
    this.#bytes = bytes;
    try {
      await waitForAdmission(held, this.#request);
    } catch (error) {
      this.release();
      throw error;
    }
  };

  /** The response is made, and uses this much memory: it is written in any case. */
  hold(bytes: number): void {
    this.#held ??= this.#memory.take(this.#accountId, 0);
    this.#held.resize(bytes);
    this.#bytes = bytes;
  }

  release(): void {
    this.#held?.leave();
    this.#held = null;
    this.#bytes = 0;
  }
}
