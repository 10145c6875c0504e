import type { MessageKey, Settings } from "../../core/model/message/message.ts";
import { BODY_PART_BYTES } from "../../store/reader/messages.ts";
import type { Context } from "../context.ts";

/** Memory of a body that is read in parts: one is read while another is written. */
export const STREAM_BYTES = 2 * BODY_PART_BYTES;

/** The parts of a message's body, each read on demand. */
export async function* bodyParts(
  { store }: Context,
  key: MessageKey,
  first: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield first;
  let from = first.byteLength;
  for (;;) {
    const part = await store.reader.messages.bodyPart(key, from, BODY_PART_BYTES);
    if (part === null) throw new Error(`message ${key.messageId} was removed while it was shown`);
    if (part.byteLength > 0) yield part;
    if (part.byteLength < BODY_PART_BYTES) return;
    from += part.byteLength;
  }
}

/** Whether a body is written in parts; also for the first part, which more may follow. */
export function isLarge(body: Uint8Array, { redact }: Pick<Settings, "redact">): boolean {
  return body.byteLength >= BODY_PART_BYTES && redact?.body !== true;
}

/** The parts of a body in memory: only one of them is converted to text at a time. */
export async function* partsInMemory(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < body.byteLength; from += BODY_PART_BYTES) {
    yield await Promise.resolve(body.subarray(from, from + BODY_PART_BYTES));
  }
}
