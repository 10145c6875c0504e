import type { IncomingMessage } from "node:http";
import { pipeline, Readable, type Transform } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { type Answer, isStream, type Room, type Stream } from "./answer.ts";
import { acceptedCoding, type ContentCoding } from "./content-coding.ts";

/** A shorter document fits into one packet as it is. */
export const COMPRESSED_BYTES_MIN = 1_024;

/** What a compressor holds until its last byte is read; measured, with its buffers. */
export const COMPRESSOR_BYTES = 1024 * 1024;

/**
 * The answer in the coding that its caller prefers, as a stream that Node compresses beside the
 * main thread. Unchanged is what is short, live or not JSON, and what has no room for a compressor.
 */
export function compressed(answer: Answer, request: IncomingMessage, room: Room): Answer {
  const coding = isWorthwhile(answer, request) ? acceptedCoding(request, CODINGS) : null;
  const { body } = answer;
  const textBytes = typeof body === "string" ? body.length : 0;
  if (coding === null || !room.grow(COMPRESSOR_BYTES + textBytes)) return answer;
  const pieces = isStream(body) ? body : [body];
  const headers = [
    "Content-Encoding",
    coding,
    "Vary",
    "Accept-Encoding",
    ...(answer.headers ?? []),
  ];
  return { ...answer, body: through(pieces, coding), headers };
}

function isWorthwhile({ status, body, contentType, isLive }: Answer, request: IncomingMessage) {
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || status !== 200 || contentType !== undefined || isLive === true) return false;
  return isStream(body) || body.length >= COMPRESSED_BYTES_MIN;
}

/** Makes the compressor when the first byte is wanted, and ends it with the pieces or the reader. */
async function* through(pieces: Stream, coding: ContentCoding): AsyncGenerator<Uint8Array> {
  const compressor = COMPRESSORS[coding]();
  pipeline(Readable.from(pieces), compressor, () => undefined);
  yield* compressor as AsyncIterable<Uint8Array>;
}

/** The first of two that a caller likes as much. */
const CODINGS: readonly ContentCoding[] = ["br", "gzip"];

/** Levels beyond these save a tenth of the bytes for twice the time. */
const COMPRESSORS: Readonly<Record<ContentCoding, () => Transform>> = {
  br: () =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 16 },
    }),
  gzip: () => createGzip({ level: 4 }),
};
