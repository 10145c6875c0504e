import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The requests in progress on one connection. A caller may send several before it reads an answer,
 * and each takes memory until its answer is read; so their number is limited.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #responses = new Set<ServerResponse>();
  #isRefused = false;
  #isEnding = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Requests that wait for their turn listen for the end of their connection.
    socket.setMaxListeners(LISTENERS_MAX);
    socket.once("close", () => this.#abandon());
  }

  /** What arrives from now on gets no answer: the connection ends with the one that is given. */
  refuse(): void {
    this.#isRefused = true;
  }

  /**
   * Counts a request until its response has ended. The first one too many is refused, and those
   * after it are ignored.
   */
  begin(response: ServerResponse): "admitted" | "refused" | "ignored" {
    const count = this.#responses.size;
    if (count >= KEPT_MAX) end(this.#socket);
    if (this.#socket.destroyed) return "ignored";
    this.#responses.add(response);
    response.once("close", () => this.#responses.delete(response));
    if (this.#isRefused) return "ignored";
    if (count < REQUESTS_AT_ONCE_MAX) return "admitted";
    this.#isRefused = true;
    return "refused";
  }

  /**
   * Calls `then` once, when every request that has arrived whole is answered: what comes after them must not get an
   * answer in their place.
   */
  endAfterAnswers(then: () => void): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const whole = [...this.#responses].filter(({ req }) => req.complete);
    const last = whole.at(-1);
    if (last === undefined) then();
    else last.once("close", then);
  }

  /** Node tells only the response whose turn it is of the end of the connection. */
  #abandon(): void {
    for (const response of this.#responses) {
      if (response.socket !== null || response.writableFinished) continue;
      response.destroy();
      response.emit("close");
    }
  }
}

/**
 * Ends a connection, and the reading of what has arrived on it. Node's parser would make a request
 * of each of a thousand in one packet, and nothing else would have a turn meanwhile.
 */
function end(socket: Socket): void {
  socket.destroy();
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => NOT_PARSED;
}

/** A result of Node's parser for which it stops with an error. */
const NOT_PARSED = -1;
/** Requests on one connection whose answers the caller has not read. */
export const REQUESTS_AT_ONCE_MAX = 32;
/** With the ignored ones. Past them the connection ends at once, and its memory is free. */
const KEPT_MAX = 2 * REQUESTS_AT_ONCE_MAX;
const LISTENERS_MAX = 4 * KEPT_MAX;
