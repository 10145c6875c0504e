import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../platform/clock.ts";
import { type Answer, headersOf, type Stream } from "./answer.ts";
import { ReaderGone, SlowReader } from "./slow-reader.ts";

export interface WriteOptions {
  readonly clock: Clock;
  /** The connection is closed after this response. */
  readonly isLast: boolean;
  /** The request, when unread bytes of its body are still arriving. */
  readonly unread: IncomingMessage | null;
}

/** Ends when the response is written, or its caller has hung up or does not read it. */
export async function writeAnswer(
  response: ServerResponse,
  answer: Answer,
  { clock, isLast, unread }: WriteOptions,
): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const headers = headersOf(answer);
  // Node reads the list and does not change it.
  response.writeHead(
    answer.status,
    isLast ? [...headers, "Connection", "close"] : (headers as string[]),
  );
  const { body } = answer;
  if (typeof body !== "string") await writeStream(response, body, clock, answer.isLive);
  else if (unread !== null) linger(response, body, unread, clock);
  else if (body.length > PIECE_BYTES) await writeStream(response, piecesOf(body, answer), clock);
  else await writeWhole(response, body, answer, clock);
}

/** Most responses are sent at once. Any other is held until its caller has read it. */
async function writeWhole(
  response: ServerResponse,
  body: string,
  answer: Answer,
  clock: Clock,
): Promise<void> {
  response.end(body);
  if ((response.socket?.writableLength ?? 0) === 0) return;
  answer.room?.hold(body.length);
  await new SlowReader(response, clock).finish();
}

/** Writes as the caller reads, and makes no more before that is read. */
async function writeStream(
  response: ServerResponse,
  pieces: Stream,
  clock: Clock,
  isLive = false,
): Promise<void> {
  let reader = new SlowReader(response, clock);
  try {
    // The response to a HEAD request is its headers.
    if (response.req.method !== "HEAD") {
      for await (const piece of pieces) {
        if (response.destroyed) throw new ReaderGone();
        // The pauses of a live stream say nothing about its reader.
        if (isLive) reader = new SlowReader(response, clock);
        if (!response.write(piece)) await reader.drain();
      }
    }
    if (response.destroyed) throw new ReaderGone();
    response.end();
    await reader.finish();
  } catch (error) {
    // A response in progress cannot be taken back: the caller must see that it is incomplete.
    response.destroy();
    if (!(error instanceof ReaderGone)) throw error;
  }
}

/** A text is held as bytes, of which the caller reads a piece at a time. */
function* piecesOf(body: string, { room }: Answer): Generator<Uint8Array> {
  const bytes = Buffer.from(body);
  room?.hold(bytes.byteLength);
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

/**
 * Ends a connection whose caller still sends unwanted bytes. Closing at once would reset it, and
 * the caller might never see the response; so some of the rest is read and discarded first.
 */
function linger(
  response: ServerResponse,
  body: string,
  request: IncomingMessage,
  clock: Clock,
): void {
  let discardedBytes = 0;
  const end = (): void => {
    cancelTimer();
    request.off("data", count).off("end", end).off("close", end);
    response.end();
  };
  const count = (chunk: Buffer): void => {
    discardedBytes += chunk.length;
    if (discardedBytes > LINGER_BYTES_MAX) end();
  };
  const cancelTimer = clock.after(LINGER_MS_MAX, end);
  response.write(body);
  request.on("data", count).on("end", end).on("close", end);
  request.resume();
}

const PIECE_BYTES = 64 * 1024;
const LINGER_MS_MAX = 2_000;
const LINGER_BYTES_MAX = 16 * 1024 * 1024;
