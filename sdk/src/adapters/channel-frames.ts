/**
 * The frames of a channel: a number that pairs a delivery with its response, a head in JSON, a
 * body.
 */
import { GrowingBytes } from "../growing-bytes.ts";
import type { Bytes } from "../web-types.ts";

export interface Frame {
  readonly id: number;
  readonly head: string;
  readonly body: Bytes;
}

export function encodeFrame(id: number, head: string, body: string): Bytes {
  const headBytes = ENCODER.encode(head);
  const bodyBytes = ENCODER.encode(body);
  const frame = new Uint8Array(PREFIX_BYTES + headBytes.length + bodyBytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, frame.length - LENGTH_BYTES);
  view.setUint32(4, id);
  view.setUint32(8, headBytes.length);
  frame.set(headBytes, PREFIX_BYTES);
  frame.set(bodyBytes, PREFIX_BYTES + headBytes.length);
  return frame;
}

/** Reassembles frames, however the network has split them; each byte is copied once or twice. */
export class FrameReader {
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  readonly #view = new DataView(this.#prefix.buffer);
  #prefixBytes = 0;
  /** The bytes after the prefix, as far as they have arrived. */
  readonly #rest = new GrowingBytes();
  #restBytes = 0;

  /** The frames that are complete now. Bytes that are not a frame are an error. */
  add(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    for (let at = 0; at < chunk.length;) {
      if (this.#prefixBytes < PREFIX_BYTES) {
        const part = chunk.subarray(at, at + PREFIX_BYTES - this.#prefixBytes);
        this.#prefix.set(part, this.#prefixBytes);
        this.#prefixBytes += part.length;
        at += part.length;
        if (this.#prefixBytes < PREFIX_BYTES) break;
        this.#begin();
      }
      const piece = chunk.subarray(at, at + this.#restBytes - this.#rest.size);
      this.#rest.add(piece);
      at += piece.length;
      if (this.#rest.size === this.#restBytes) frames.push(this.#finish());
    }
    return frames;
  }

  #begin(): void {
    const frameBytes = LENGTH_BYTES + this.#view.getUint32(0);
    this.#restBytes = frameBytes - PREFIX_BYTES;
    if (this.#headBytes > this.#restBytes || frameBytes > FRAME_BYTES_MAX) {
      throw new Error("this is no frame");
    }
  }

  #finish(): Frame {
    const payload = this.#rest.take();
    this.#prefixBytes = 0;
    const head = DECODER.decode(payload.subarray(0, this.#headBytes));
    return { id: this.#view.getUint32(4), head, body: payload.slice(this.#headBytes) };
  }

  get #headBytes(): number {
    return this.#view.getUint32(8);
  }
}

export function joined(parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const LENGTH_BYTES = 4;
const PREFIX_BYTES = 12;
/** The service sends anything larger in a separate request. */
const FRAME_BYTES_MAX = 1024 * 1024;
