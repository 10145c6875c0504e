/**
 * Bytes that arrive in pieces, in one buffer that doubles when it is full. A small first piece gets
 * memory of its own size: mostly there is no second one.
 */
export class GrowingBuffer {
  readonly #bytesMax: number;
  #first: Uint8Array | null = null;
  #bytes = EMPTY;
  #size = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get size(): number {
    return this.#size;
  }

  /** How much more memory the buffer takes once `bytes` are added. */
  growthFor(bytes: number): number {
    if (this.#isSmallStart(bytes)) return bytes;
    const capacity = this.#first?.length ?? this.#bytes.length;
    const size = this.#size + bytes;
    if (size <= capacity) return 0;
    return Math.max(size, Math.min(this.#bytesMax, Math.max(capacity * 2, FIRST_BYTES))) - capacity;
  }

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#isSmallStart(chunk.length)) this.#first = new Uint8Array(chunk);
    else this.#append(chunk);
    this.#size += chunk.length;
  }

  /** The bytes, in memory of exactly their size. The buffer is empty afterwards. */
  take(): Uint8Array {
    const bytes = this.#first ?? this.#whole();
    this.#first = null;
    this.#bytes = EMPTY;
    this.#size = 0;
    return bytes;
  }

  #isSmallStart(bytes: number): boolean {
    return this.#size === 0 && this.#bytes.length === 0 && bytes < FIRST_BYTES;
  }

  #append(chunk: Uint8Array): void {
    const growth = this.growthFor(chunk.length);
    // A transfer frees the old memory at once instead of leaving it to the garbage collector.
    if (growth > 0) {
      const capacity = (this.#first?.length ?? this.#bytes.length) + growth;
      this.#bytes =
        this.#bytes.length === 0
          ? new Uint8Array(capacity)
          : new Uint8Array(this.#bytes.buffer.transfer(capacity));
      if (this.#first !== null) this.#bytes.set(this.#first);
      this.#first = null;
    }
    this.#bytes.set(chunk, this.#size);
  }

  #whole(): Uint8Array {
    return this.#size === this.#bytes.length
      ? this.#bytes
      : new Uint8Array(this.#bytes.buffer.transfer(this.#size));
  }
}

const EMPTY = new Uint8Array(0);
const FIRST_BYTES = 4 * 1024;
