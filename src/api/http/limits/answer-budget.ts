import type { IncomingMessage } from "node:http";
import { Problem } from "../../../core/problem.ts";
import { Budget, type Charge } from "../../../platform/budget.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Room } from "../answers/answer.ts";

const MEBIBYTE = 1024 * 1024;
/** Bytes of responses in memory, being made or being written: of all accounts, and of one. */
export const ANSWER_BYTES_MAX = 96 * MEBIBYTE;
export const ACCOUNT_ANSWER_BYTES_MAX = 32 * MEBIBYTE;

export function createAnswerBudget(clock: Clock): Budget {
  return new Budget({
    clock,
    ownerMax: ACCOUNT_ANSWER_BYTES_MAX,
    totalMax: ANSWER_BYTES_MAX,
    waitMsMax: 10_000,
    waitingMax: 250,
    refusal: () => new Problem("overloaded", "too many large answers at once; try again", 1),
  });
}

/** The memory of the response to one request, from before the data is read until it is written. */
export class AnswerRoom implements Room {
  readonly #charge: Charge;
  readonly #request: IncomingMessage;
  /** Charged, or waited for. */
  #bytes = 0;

  constructor(answerBudget: Budget, accountId: string, request: IncomingMessage) {
    this.#charge = answerBudget.open(accountId);
    this.#request = request;
  }

  /** Waits until the response may use this much memory; refuses after a while. */
  readonly reserve = async (bytes: number): Promise<void> => {
    if (bytes <= this.#bytes) return;
    // Its memory is released first, or requests that each want more would wait for one another.
    this.release();
    this.#bytes = bytes;
    try {
      await chargeUnlessGone(this.#charge, bytes, this.#request);
    } catch (error) {
      this.release();
      throw error;
    }
  };

  /** The response is made, and uses this much memory: it is written in any case. */
  hold(bytes: number): void {
    this.#charge.resize(bytes);
    this.#bytes = bytes;
  }

  grow(bytes: number): boolean {
    if (!this.#charge.grow(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  release(): void {
    this.#charge.release();
    this.#bytes = 0;
  }
}

/**
 * Charges the amount, or waits until there is room for it, unless the caller hangs up. One that closes its side has
 * most likely hung up: it does not wait either, and is refused like one that has waited in vain.
 */
export async function chargeUnlessGone(
  charge: Charge,
  amount: number,
  { socket }: IncomingMessage,
): Promise<void> {
  if (charge.grow(amount)) return;
  const leave = (): void => charge.release();
  socket.once("end", leave).once("close", leave);
  try {
    const charged = charge.wait(amount);
    if (socket.readableEnded) leave();
    await charged;
  } finally {
    socket.off("end", leave).off("close", leave);
  }
}
