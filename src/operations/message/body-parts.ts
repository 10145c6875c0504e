import type { MessageKey, Redaction } from "../../core/model/message/message.ts";
import { BODY_PART_BYTES } from "../../store/reader.ts";
import type { Context } from "../context.ts";

/** What a body that is read in parts takes up: one is read while another is written. */
export const STREAM_BYTES = 2 * BODY_PART_BYTES;

/** Whether a body that was read up to its first part may have more of them to be shown. */
export function hasMoreParts(body: Uint8Array, redact: Redaction | undefined): boolean {
  return body.byteLength === BODY_PART_BYTES && redact?.body !== true;
}

/** The parts of a message's body, each read when it is wanted. */
export async function* bodyParts(
  { store }: Context,
  key: MessageKey,
  first: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield first;
  let from = first.byteLength;
  for (;;) {
    const part = await store.reader.bodyPart(key, from, BODY_PART_BYTES);
    if (part === null) throw new Error(`message ${key.messageId} was removed while it was shown`);
    if (part.byteLength > 0) yield part;
    if (part.byteLength < BODY_PART_BYTES) return;
    from += part.byteLength;
  }
}

/** Whether a body that is in memory is worth writing in parts. */
export function isLarge(body: Uint8Array, redact: Redaction | undefined): boolean {
  return body.byteLength >= BODY_PART_BYTES && redact?.body !== true;
}

/** The parts of a body that is in memory: only one of them is made into text at a time. */
export async function* partsInMemory(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < body.byteLength; from += BODY_PART_BYTES) {
    yield await Promise.resolve(body.subarray(from, from + BODY_PART_BYTES));
  }
}
