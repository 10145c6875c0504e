/** Bytes that arrive in pieces, in one buffer that doubles when it is full. */
export class GrowingBuffer {
  readonly #bytesMax: number;
  #bytes = new Uint8Array(0);
  #size = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get size(): number {
    return this.#size;
  }

  /** How much more memory the buffer takes once `bytes` are added. */
  growthFor(bytes: number): number {
    const capacity = this.#bytes.length;
    const size = this.#size + bytes;
    if (size <= capacity) return 0;
    return Math.max(size, Math.min(this.#bytesMax, Math.max(capacity * 2, FIRST_BYTES))) - capacity;
  }

  add(chunk: Uint8Array): void {
    const growth = this.growthFor(chunk.length);
    // A transfer frees the old memory at once instead of leaving it to the garbage collector.
    if (growth > 0) {
      this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(this.#bytes.length + growth));
    }
    this.#bytes.set(chunk, this.#size);
    this.#size += chunk.length;
  }

  /** The bytes, in memory of exactly their size. The buffer is empty afterwards. */
  take(): Uint8Array {
    const bytes =
      this.#size === this.#bytes.length
        ? this.#bytes
        : new Uint8Array(this.#bytes.buffer.transfer(this.#size));
    this.#bytes = new Uint8Array(0);
    this.#size = 0;
    return bytes;
  }
}

const FIRST_BYTES = 4 * 1024;
