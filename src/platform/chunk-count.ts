export interface ChunkLimits {
  /** So many chunks may be of any size. */
  readonly countFree: number;
  /** The mean size of more chunks than that. */
  readonly meanBytesMin: number;
}

/** Counts the chunks of a body as they arrive: each costs the same, however small it is. */
export class ChunkCount {
  readonly #limits: ChunkLimits;
  #count = 0;
  #bytes = 0;

  constructor(limits: ChunkLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#count += 1;
    this.#bytes += bytes;
  }

  /** Whether they are many, and too small. */
  get areTiny(): boolean {
    const { countFree, meanBytesMin } = this.#limits;
    return this.#count > countFree && this.#bytes < this.#count * meanBytesMin;
  }
}

/** Of requests, and of what destinations answer. A program that writes each event of a stream by itself is well within this. */
export const BODY_CHUNKS: ChunkLimits = { countFree: 10_000, meanBytesMin: 64 };
