import { now } from "../runtime.ts";
import type { HeaderView } from "./incoming.ts";
import { HEADERS } from "./protocol.ts";

/** Steps or a result in the response to a delivery, instead of in a separate request. */
export type Reply =
  /** Steps as stored, each the JSON of its record. */
  | { readonly steps: readonly string[] }
  /** The run has ended with this result. */
  | { readonly result: string };

/**
 * Collects the reply of one delivery. A reply is lost with its connection, and then the step is
 * done again: so slow or large results are submitted instead.
 */
export class ReplyCollector {
  readonly #openUntil: number;
  #reply: Reply | undefined;

  constructor(openUntil: number) {
    this.#openUntil = openUntil;
  }

  /** For a delivery that has just arrived; its headers say whether the service accepts replies. */
  static of(headers: HeaderView): ReplyCollector {
    const isTaken = headers.get(HEADERS.reply) === VERSION;
    return new ReplyCollector(isTaken ? now() + REPLY_MS_MAX : 0);
  }

  get reply(): Reply | undefined {
    return this.#reply;
  }

  /** True if the reply is taken; otherwise it has to be submitted. */
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
/** Encoded as JSON, these are well below the service's limit for replies. */
const REPLY_CHARACTERS_MAX = 32 * 1024;
