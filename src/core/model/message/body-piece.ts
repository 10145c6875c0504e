import type { MessageKey } from "./message.ts";

/**
 * A piece of the beginning of a report, stored before the message that it becomes and beside the one
 * that it tells of: an answer of some megabytes, written at once, would keep all other accounts waiting.
 */
export interface BodyPiece extends MessageKey {
  /** The attempt that the report tells of. */
  readonly attempt: number;
  /** From 0 on. */
  readonly piece: number;
  readonly body: Uint8Array;
}

/** The size of every piece but the last. Stored bodies are read by it, so that it never changes. */
export const PIECE_BYTES: number = 256 * 1024;
