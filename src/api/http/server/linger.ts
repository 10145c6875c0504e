import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../platform/clock.ts";
import { ChunkCount } from "./chunk-count.ts";

/**
 * Ends a connection whose caller still sends unwanted bytes. Closing at once would reset it, and
 * the caller might never see the response; so some of the rest is read and discarded first.
 */
export function linger(
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
