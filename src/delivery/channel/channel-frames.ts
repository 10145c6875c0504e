/**
 * The frames of a channel: a number that pairs a delivery with its answer, a head in JSON, a body.
 */
import { GrowingBuffer } from "../../platform/growing-buffer.ts";
import type { Charge } from "../../platform/memory-budget.ts";

export interface Frame {
  readonly id: number;
  readonly head: string;
  readonly body: Buffer;
}

export function encodeFrame(id: number, head: string, body: Uint8Array): Buffer {
  const headBytes = Buffer.byteLength(head);
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + headBytes + body.length);
  frame.writeUInt32BE(PREFIX_BYTES - LENGTH_BYTES + headBytes + body.length, 0);
  frame.writeUInt32BE(id, 4);
  frame.writeUInt32BE(headBytes, 8);
  frame.write(head, PREFIX_BYTES);
  frame.set(body, PREFIX_BYTES + headBytes);
  return frame;
}

/**
 * Reassembles frames from chunks of any size. Each byte is copied a bounded number of times, and
 * the bytes of an incomplete frame are charged as they arrive.
 */
export class FrameReader {
  readonly #bytesMax: number;
  readonly #charge: Charge | null;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixBytes = 0;
  /** The bytes after the prefix that have arrived. */
  #rest = new GrowingBuffer(0);
  #restBytes = 0;

  constructor(bytesMax: number, charge: Charge | null = null) {
    this.#bytesMax = bytesMax;
    this.#charge = charge;
  }

  /**
   * The frames that are complete now; null when the bytes are no frame, or there is no memory for
   * them.
   */
  add(chunk: Uint8Array): Frame[] | null {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const frames: Frame[] = [];
    for (let at = 0; at < bytes.length;) {
      if (this.#prefixBytes < PREFIX_BYTES) {
        const taken = bytes.copy(this.#prefix, this.#prefixBytes, at);
        at += taken;
        this.#prefixBytes += taken;
        if (this.#prefixBytes < PREFIX_BYTES) break;
        if (!this.#begin()) return null;
      }
      const missing = this.#restBytes - this.#rest.size;
      const piece = bytes.subarray(at, at + missing);
      at += piece.length;
      const isWhole = piece.length === missing;
      if (!(isWhole && this.#rest.size === 0) && !this.#keep(piece)) return null;
      if (isWhole) frames.push(this.#finish(piece));
    }
    return frames;
  }

  /** Reads the complete prefix; false when it is invalid. */
  #begin(): boolean {
    const frameBytes = LENGTH_BYTES + this.#prefix.readUInt32BE(0);
    this.#restBytes = frameBytes - PREFIX_BYTES;
    this.#rest = new GrowingBuffer(this.#restBytes);
    return this.#headBytes <= this.#restBytes && frameBytes <= this.#bytesMax;
  }

  #keep(piece: Uint8Array): boolean {
    const growth = this.#rest.growthFor(piece.length);
    if (growth > 0 && this.#charge?.grow(growth) === false) return false;
    this.#rest.add(piece);
    return true;
  }

  /** A frame that arrived in one chunk is a view of it. */
  #finish(piece: Buffer): Frame {
    const earlier = this.#rest.take();
    this.#charge?.release();
    this.#prefixBytes = 0;
    const payload =
      earlier.length === 0
        ? piece
        : Buffer.from(earlier.buffer, earlier.byteOffset, earlier.length);
    return {
      id: this.#prefix.readUInt32BE(4),
      head: payload.toString("utf8", 0, this.#headBytes),
      body: payload.subarray(this.#headBytes),
    };
  }

  get #headBytes(): number {
    return this.#prefix.readUInt32BE(8);
  }
}

/** The largest answer that is earlier, and its head. */
export const FRAME_BYTES_MAX = 1024 * 1024 + 64 * 1024;
const LENGTH_BYTES = 4;
const PREFIX_BYTES = 12;
