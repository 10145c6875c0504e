/** What travels in a channel: a number that pairs a delivery with its answer, a head in JSON, a body. */

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

/** Puts frames together again, however the network has cut them up. */
export class FrameReader {
  readonly #bytesMax: number;
  #rest: Buffer = EMPTY;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The frames that are whole now; null when what came is none. Bodies are views of what came. */
  add(chunk: Uint8Array): Frame[] | null {
    const came = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const bytes = this.#rest.length === 0 ? came : Buffer.concat([this.#rest, came]);
    const frames: Frame[] = [];
    let at = 0;
    while (bytes.length - at >= PREFIX_BYTES) {
      const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
      const headEnd = at + PREFIX_BYTES + bytes.readUInt32BE(at + 8);
      if (headEnd > end || end - at > this.#bytesMax) return null;
      if (end > bytes.length) break;
      frames.push({
        id: bytes.readUInt32BE(at + 4),
        head: bytes.toString("utf8", at + PREFIX_BYTES, headEnd),
        body: bytes.subarray(headEnd, end),
      });
      at = end;
    }
    // A copy: the buffer of the socket may be used again.
    this.#rest = at === bytes.length ? EMPTY : Buffer.from(bytes.subarray(at));
    return frames;
  }
}

/** An answer as large as is kept, and its head. */
export const FRAME_BYTES_MAX = 1024 * 1024 + 64 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);
const LENGTH_BYTES = 4;
const PREFIX_BYTES = 12;
