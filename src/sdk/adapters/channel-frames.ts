/** What travels in a channel: a number that pairs a delivery with its answer, a head in JSON, a body. */
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

/** Puts frames together again, however the network has cut them up. */
export class FrameReader {
  #rest = new Uint8Array(0);

  /** The frames that are whole now. What is none is an error. */
  add(chunk: Uint8Array): Frame[] {
    const bytes = joined([this.#rest, chunk]);
    const view = new DataView(bytes.buffer);
    const frames: Frame[] = [];
    let at = 0;
    while (bytes.length - at >= PREFIX_BYTES) {
      const end = at + LENGTH_BYTES + view.getUint32(at);
      const headEnd = at + PREFIX_BYTES + view.getUint32(at + 8);
      if (headEnd > end || end - at > FRAME_BYTES_MAX) throw new Error("this is no frame");
      if (end > bytes.length) break;
      const head = DECODER.decode(bytes.subarray(at + PREFIX_BYTES, headEnd));
      frames.push({ id: view.getUint32(at + 4), head, body: bytes.slice(headEnd, end) });
      at = end;
    }
    this.#rest = bytes.slice(at);
    return frames;
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
/** The service sends what is larger by a request of its own. */
const FRAME_BYTES_MAX = 1024 * 1024;
