import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../platform/clock.ts";
import { type Answer, headersOf } from "./answer.ts";

export interface WriteOptions {
  readonly clock: Clock;
  /** No further request is wanted on this connection. */
  readonly isLast: boolean;
  /** The request, when part of its body has not been read. */
  readonly request: IncomingMessage | null;
}

export function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  { clock, isLast, request }: WriteOptions,
): void {
  if (response.destroyed || response.headersSent) return;
  const headers = headersOf(answer);
  if (request !== null) {
    response.writeHead(answer.status, [...headers, "Connection", "close"]);
    return linger(response, answer.body, request, clock);
  }
  // Node reads the list and leaves it as it is.
  const all = isLast ? [...headers, "Connection", "close"] : (headers as string[]);
  response.writeHead(answer.status, all).end(answer.body);
}

/**
 * Ends a connection on which more is being sent than we want. Closing at once would reset it, and
 * the caller might never see the answer; so some of the rest is read and thrown away first.
 */
function linger(
  response: ServerResponse,
  body: string,
  request: IncomingMessage,
  clock: Clock,
): void {
  let thrownAway = 0;
  const end = (): void => {
    cancelTimer();
    request.off("data", count).off("end", end).off("close", end);
    response.end();
  };
  const count = (chunk: Buffer): void => {
    thrownAway += chunk.length;
    if (thrownAway > LINGER_BYTES_MAX) end();
  };
  const cancelTimer = clock.after(LINGER_MS_MAX, end);
  response.write(body);
  request.on("data", count).on("end", end).on("close", end);
  request.resume();
}

const LINGER_MS_MAX = 2_000;
const LINGER_BYTES_MAX = 16 * 1024 * 1024;
