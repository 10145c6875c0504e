import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../platform/clock.ts";
import { type Answer, headersOf, isStream, type Room, type Stream } from "./answer.ts";
import { compressed } from "./compressed.ts";
import { ChunkCount } from "../../../platform/chunk-count.ts";
import { ReaderGone, SlowReader } from "../limits/slow-reader.ts";

export interface WriteOptions {
  readonly clock: Clock;
  /** The connection is closed after this response. */
  readonly isLast: boolean;
  /** The request, when unread bytes of its body are still arriving. */
  readonly unread: IncomingMessage | null;
  /** The memory of the response until it is read, unless it has reserved its own. */
  readonly room: Room;
}

/** Ends when the response is written, or its caller has hung up or does not read it. */
export async function writeAnswer(
  response: ServerResponse,
  made: Answer,
  options: WriteOptions,
): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const { clock, isLast, unread } = options;
  const room = made.room ?? options.room;
  const answer = unread === null ? compressed(made, response.req, room) : made;
  const headers = headersOf(answer);
  // Node reads the list and does not change it.
  response.writeHead(
    answer.status,
    isLast ? [...headers, "Connection", "close"] : (headers as string[]),
  );
  const { body } = answer;
  if (isStream(body)) {
    if (answer.room === undefined) room.hold(PIECE_BYTES);
    await writeStream(response, body, clock, answer.isLive);
  } else if (unread !== null) {
    room.hold(ownBytes(body));
    await linger(response, body, unread, clock);
    await new SlowReader(response, clock).finish();
  } else if (body.length > PIECE_BYTES) {
    await writeStream(response, piecesOf(body, room), clock);
  } else await writeWhole(response, body, room, clock);
}

/** Most responses are sent at once. Any other is held until its caller has read it. */
async function writeWhole(
  response: ServerResponse,
  body: string | Uint8Array,
  room: Room,
  clock: Clock,
): Promise<void> {
  response.end(body);
  // Without a socket it stands behind another response on its connection.
  if (response.socket?.writableLength === 0) return;
  room.hold(ownBytes(body));
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
function* piecesOf(body: string | Uint8Array, room: Room): Generator<Uint8Array> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  room.hold(typeof body === "string" ? bytes.byteLength : 0);
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
  }
}

/** Bytes that all callers share are in memory once. */
function ownBytes(body: string | Uint8Array): number {
  return typeof body === "string" ? body.length : 0;
}

/**
 * Ends a connection whose caller still sends unwanted bytes. Closing at once would reset it, and
 * the caller might never see the response; so some of the rest is read and discarded first.
 */
function linger(
  response: ServerResponse,
  body: string | Uint8Array,
  request: IncomingMessage,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve) => {
    const chunks = new ChunkCount(LINGER_CHUNKS);
    const end = (): void => {
      cancelTimer();
      request.off("data", count).off("end", end).off("close", end);
      request.pause();
      response.end();
      resolve();
    };
    const count = (chunk: Buffer): void => {
      chunks.add(chunk.length);
      if (chunks.bytes > LINGER_BYTES_MAX || chunks.areTiny) end();
    };
    const cancelTimer = clock.after(LINGER_MS_MAX, end);
    response.write(body);
    request.on("data", count).on("end", end).on("close", end);
    request.resume();
  });
}

const LINGER_MS_MAX = 2_000;
const LINGER_BYTES_MAX = 16 * 1024 * 1024;
/** A caller that is refused is read on only if that costs little. */
const LINGER_CHUNKS = { countFree: 500, meanBytesMin: 1_024 };
const PIECE_BYTES = 64 * 1024;
