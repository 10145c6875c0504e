/** One request and its response, from waiting for a connection to the outcome. */

import type { Dispatcher } from "undici";
import type { BodyCut, Outcome } from "../../core/model/message/attempt.ts";
import type { HeaderList } from "../../core/model/message/message.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Charge, MemoryBudget } from "../../platform/memory-budget.ts";
import { ABORTED, type Sending } from "../courier.ts";
import { DeliveryError, noAnswer, noAnswerFrom, tooLate } from "./network-error.ts";
import { ResponseBody } from "./response-body.ts";

/** A request that a connection carries. */
export interface Cargo extends Dispatcher.DispatchHandler {
  readonly request: Dispatcher.DispatchOptions;
  abort(): void;
}

/** What a cargo tells the pool that carries it. */
export interface Carrier {
  /** The caller has its outcome while the request is still waiting for a connection. */
  abandoned(cargo: Cargo): void;
  /** The HTTP client is done with the request. */
  released(cargo: Cargo): void;
}

/** How much of an answer is kept, and the account whose memory it uses. */
export interface AnswerRoom {
  readonly bodyBytesMax: number;
  readonly memory: MemoryBudget;
  readonly owner: string;
}

export class Exchange implements Cargo, Sending {
  readonly request: Dispatcher.DispatchOptions;
  /** Resolves once, in every case. */
  readonly outcome: Promise<Outcome>;
  readonly #carrier: Carrier;
  readonly #body: ResponseBody;
  readonly #charge: Charge;
  #resolve!: (outcome: Outcome) => void;
  #cancelDeadline: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: HeaderList = [];
  #interimAnswers = 0;

  constructor(
    request: Dispatcher.DispatchOptions,
    carrier: Carrier,
    { bodyBytesMax, memory, owner }: AnswerRoom,
  ) {
    this.request = request;
    this.#carrier = carrier;
    this.#body = new ResponseBody(bodyBytesMax);
    this.#charge = memory.open(owner, () => this.#cutShort(TOO_SLOW));
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** From here on the exchange ends by itself, at the latest at the deadline. */
  watch(clock: Clock, leftMs: number, timeoutMs: number): void {
    this.#cancelDeadline = clock.after(leftMs, () => this.#cutShort(tooLate(timeoutMs)));
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  abort(): void {
    this.#cutShort(ABORTED);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // An abort would cost the new connection; an error here only takes the request off it.
    if (this.#settled) throw new DeliveryError(ABORTED);
    this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status >= 200) {
      this.#status = status;
      this.#headers = headerList(controller.rawHeaders);
    } else if (++this.#interimAnswers > INTERIM_ANSWERS_MAX) {
      this.#cutShort("too many interim answers");
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#settled) return;
    const growth = this.#body.growthFor(chunk);
    if (growth === 0 || this.#charge.grow(growth)) return this.#keep(chunk);
    // TCP slows the destination down until there is memory for what it sends.
    controller.pause();
    const goOn = (): void => {
      this.#keep(chunk);
      controller.resume();
    };
    this.#charge.wait(growth).then(goOn, () => this.#cutShort(NO_MEMORY));
  }

  onResponseEnd(): void {
    this.#answer();
    this.#carrier.released(this);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    // Once there is a status the destination has answered, however its body ended.
    if (this.#status === 0) this.#settle(noAnswerFrom(error));
    else this.#answer("broken");
    this.#carrier.released(this);
  }

  /** Frees the memory of the answer; its outcome is not used any more. */
  release(): void {
    this.#charge.release();
  }

  #keep(chunk: Uint8Array): void {
    if (this.#settled || this.#body.add(chunk)) return;
    this.#answer("limit");
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
    if (this.#controller === undefined) this.#carrier.abandoned(this);
    else this.#closeConnection();
  }

  #closeConnection(): void {
    this.#controller?.abort(new DeliveryError(ABORTED));
  }

  #settle(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#cancelDeadline?.();
    this.#resolve(outcome);
  }
}

/** Names as sent, values byte for byte: pairs from the flat list of the HTTP client. */
function headerList(raw: Dispatcher.DispatchController["rawHeaders"]): HeaderList {
  if (!Array.isArray(raw)) return [];
  const pairs: [string, string][] = [];
  const length = Math.min(raw.length, HEADERS_MAX * 2);
  for (let index = 0; index + 1 < length; index += 2) {
    pairs.push([latin1(raw[index]!), latin1(raw[index + 1]!)]);
  }
  return pairs;
}

function latin1(text: Buffer | string): string {
  return typeof text === "string" ? text : text.toString("latin1");
}

const HEADERS_MAX = 256;
const INTERIM_ANSWERS_MAX = 32;
const TOO_SLOW = "the answer came too slowly while memory was short";
const NO_MEMORY = "there was no memory for the answer";
