import { now } from "../runtime.ts";
import type { HeaderView } from "./incoming.ts";
import { HEADERS } from "./protocol.ts";

/** What is said in the answer to a delivery, in place of being submitted by a request of its own. */
export type Reply =
  /** Steps as they are kept, each the JSON of its record. */
  | { readonly steps: readonly string[] }
  /** The run has ended, with this. */
  | { readonly result: string };

/**
 * The answer to one delivery, as far as it can say something. A reply is lost with its connection,
 * and then the step is done again: so what took long, or is large, is submitted all the same.
 */
export class ReplyDesk {
  readonly #openUntil: number;
  #reply: Reply | undefined;

  constructor(openUntil: number) {
    this.#openUntil = openUntil;
  }

  /** Of a delivery that came just now; the service says in it whether it takes replies. */
  static of(headers: HeaderView): ReplyDesk {
    const isTaken = headers.get(HEADERS.reply) === VERSION;
    return new ReplyDesk(isTaken ? now() + REPLY_MS_MAX : 0);
  }

  get reply(): Reply | undefined {
    return this.#reply;
  }

  /** True if it will be said; else it has to be submitted. */
  take(reply: Reply): boolean {
    const texts = "steps" in reply ? reply.steps : [reply.result];
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    if (now() >= this.#openUntil || characters > REPLY_CHARACTERS_MAX) return false;
    this.#reply = reply;
    return true;
  }
}

const VERSION = "1";
const REPLY_MS_MAX = 1_000;
/** Written as JSON, these are well below what the service reads of an answer. */
const REPLY_CHARACTERS_MAX = 32 * 1024;
