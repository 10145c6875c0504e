import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../platform/clock.ts";
import { type Answer, headersOf } from "./answer.ts";

export interface WriteOptions {
  readonly clock: Clock;
  /** No further request is wanted on this connection. */
  readonly isLast: boolean;
  /** The request, when more of its body arrives than anybody reads. */
  readonly unread: IncomingMessage | null;
}

export function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  { clock, isLast, unread }: WriteOptions,
): void {
  if (response.destroyed || response.headersSent) return;
  const headers = headersOf(answer);
  // Node reads the list and leaves it as it is.
  response.writeHead(
    answer.status,
    isLast ? [...headers, "Connection", "close"] : (headers as string[]),
  );
  if (unread === null) response.end(answer.body);
  else linger(response, answer.body, unread, clock);
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
