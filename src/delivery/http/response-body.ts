import { GrowingBuffer } from "../../platform/growing-buffer.ts";

/** Keeps the beginning of an answer's body. What comes after the limit is not kept. */
export class ResponseBody {
  readonly #bytesMax: number;
  readonly #kept: GrowingBuffer;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#kept = new GrowingBuffer(bytesMax);
  }

  /** How much more memory it takes up once the chunk is added. */
  growthFor(chunk: Uint8Array): number {
    return this.#kept.growthFor(Math.min(chunk.length, this.#room));
  }

  /** Takes what still fits; false when some of it did not. */
  add(chunk: Uint8Array): boolean {
    const room = this.#room;
    this.#kept.add(chunk.length > room ? chunk.subarray(0, room) : chunk);
    return chunk.length <= room;
  }

  /** The bytes in memory of their own; the body is empty afterwards. */
  take(): Uint8Array {
    return this.#kept.take();
  }

  get #room(): number {
    return this.#bytesMax - this.#kept.size;
  }
}
