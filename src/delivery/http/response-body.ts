import { GrowingBuffer } from "../../platform/growing-buffer.ts";

/** Keeps the beginning of an answer's body, up to the limit. */
export class ResponseBody {
  readonly #bytesMax: number;
  readonly #buffer: GrowingBuffer;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#buffer = new GrowingBuffer(bytesMax);
  }

  /** How much more memory it uses once the chunk is added. */
  growthFor(chunk: Uint8Array): number {
    return this.#buffer.growthFor(Math.min(chunk.length, this.#room));
  }

  /** Adds the bytes that still fit; false when some did not. */
  add(chunk: Uint8Array): boolean {
    const room = this.#room;
    this.#buffer.add(chunk.length > room ? chunk.subarray(0, room) : chunk);
    return chunk.length <= room;
  }

  /** A copy of the bytes; the body is empty afterwards. */
  take(): Uint8Array {
    return this.#buffer.take();
  }

  get #room(): number {
    return this.#bytesMax - this.#buffer.size;
  }
}
