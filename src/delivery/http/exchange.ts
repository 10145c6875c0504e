/** One request and its response, from waiting for a connection to the outcome. */

import type { BodyCut, Outcome } from "../../core/model/message/attempt.ts";
import type { HeaderList } from "../../core/model/message/message.ts";
import { Budget, type Charge } from "../../platform/budget.ts";
import { BODY_CHUNKS, ChunkCount } from "../../platform/chunk-count.ts";
import type { Clock } from "../../platform/clock.ts";
import { GrowingBuffer } from "../../platform/growing-buffer.ts";
import { ABORTED, type Sending } from "../courier.ts";
import type { OutboundExchange, CarryingConnection, OutboundRequest } from "./outbound-exchange.ts";
import { DeliveryError, noAnswer, noAnswerFrom, tooLate } from "./network-error.ts";

/** Where a request waits for a connection. */
export interface Carrier {
  /** Takes back a request that waits. */
  withdraw(exchange: OutboundExchange): void;
}

/** How much of an answer is kept, and the account whose memory it uses. */
export interface AnswerRoom {
  readonly bodyBytesMax: number;
  readonly answerBudget: Budget;
  readonly owner: string;
}

/** The memory of answers, from their first byte until their outcome is stored. */
export function createAnswerBudget(clock: Clock, bytesMax = 64 * 1024 * 1024): Budget {
  return new Budget({
    clock,
    totalMax: bytesMax,
    reserveBytes: 16 * 1024 * 1024,
    waitingMax: 4_096,
    // Each answer waits within the time of its delivery.
    waitMsMax: 86_400_000,
    firstMsMax: 15_000,
    refusal: () => new Error("no memory"),
  });
}

export class Exchange implements OutboundExchange, Sending {
  readonly request: OutboundRequest;
  /** Resolves once, in every case. */
  readonly outcome: Promise<Outcome>;
  readonly #carrier: Carrier;
  /** The beginning of the answer's body, up to the limit. */
  readonly #body: GrowingBuffer;
  readonly #charge: Charge;
  readonly #chunks = new ChunkCount(BODY_CHUNKS);
  #resolve!: (outcome: Outcome) => void;
  #cancelDeadline: (() => void) | undefined;
  #connection: CarryingConnection | null = null;
  #settled = false;
  #status = 0;
  #headers: HeaderList = [];
  #interimAnswers = 0;

  constructor(
    request: OutboundRequest,
    carrier: Carrier,
    { bodyBytesMax, answerBudget, owner }: AnswerRoom,
  ) {
    this.request = request;
    this.#carrier = carrier;
    this.#body = new GrowingBuffer(bodyBytesMax);
    this.#charge = answerBudget.open(owner, () => this.#cutShort(TOO_SLOW));
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** From here on the exchange ends by itself, at the latest at the deadline. */
  watch(clock: Clock, timeoutMs: number): void {
    this.#cancelDeadline = clock.after(timeoutMs, () => this.#cutShort(tooLate(timeoutMs)));
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  abort(): void {
    this.#cutShort(ABORTED);
  }

  onStart(connection: CarryingConnection): void {
    this.#connection = connection;
  }

  onHead(status: number, headers: HeaderList, bodyBytes: number): void {
    if (status >= 200) {
      this.#status = status;
      this.#headers = headers;
      this.#body.announce(bodyBytes);
    } else if (++this.#interimAnswers > INTERIM_ANSWERS_MAX) {
      this.#cutShort("too many interim answers");
    }
  }

  onData(bytes: Buffer): void {
    if (this.#settled) return;
    this.#chunks.add(bytes.length);
    if (this.#chunks.areTiny) return this.#cutBody("chunks");
    const growth = this.#body.growthFor(bytes.length);
    if (growth === 0 || this.#charge.grow(growth)) return this.#keep(bytes);
    // TCP slows the destination down until there is memory for what it sends.
    this.#connection?.pause();
    const kept = Buffer.from(bytes);
    const goOn = (): void => {
      this.#keep(kept);
      this.#connection?.resume();
    };
    this.#charge.wait(growth).then(goOn, () => this.#cutShort(NO_MEMORY));
  }

  onEnd(): void {
    this.#connection = null;
    this.#answer();
  }

  onFailure(error: unknown): void {
    this.#connection = null;
    // Once there is a status the destination has answered, unless this service ended the call.
    if (this.#status === 0 || isAborted(error)) this.#settle(noAnswerFrom(error));
    else this.#answer("broken");
  }

  /** Frees the memory of the answer; its outcome is not used any more. */
  release(): void {
    this.#charge.release();
  }

  #keep(chunk: Uint8Array): void {
    if (!this.#settled && !this.#body.add(chunk)) this.#cutBody("limit");
  }

  #cutBody(cut: BodyCut): void {
    this.#answer(cut);
    this.#closeConnection();
  }

  #answer(cut?: BodyCut): void {
    if (this.#settled) return;
    this.#settle({
      kind: "answer",
      status: this.#status,
      headers: this.#headers,
      body: this.#body.take(),
      ...(cut !== undefined && { cut }),
    });
  }

  #cutShort(reason: string): void {
    if (this.#settled) return;
    this.#settle(noAnswer(reason));
    this.#body.take();
    this.#charge.release();
    if (this.#connection === null) this.#carrier.withdraw(this);
    else this.#closeConnection();
  }

  #closeConnection(): void {
    this.#connection?.abort();
    this.#connection = null;
  }

  #settle(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#cancelDeadline?.();
    this.#resolve(outcome);
  }
}

function isAborted(error: unknown): boolean {
  return error instanceof DeliveryError && error.message === ABORTED;
}

const INTERIM_ANSWERS_MAX = 32;
const TOO_SLOW = "the answer came too slowly while memory was short";
const NO_MEMORY = "there was no memory for the answer";
