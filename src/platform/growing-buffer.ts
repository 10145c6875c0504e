/**
 * Bytes that arrive in pieces, in one buffer that doubles when it is full, up to a limit. A small
 * first piece gets memory of its own size: mostly there is no second one. When its sender has said
 * how many there will be, the last growth is to that size, so that nothing is copied at the end.
 */
export class GrowingBuffer {
  readonly #bytesMax: number;
  #first: Uint8Array | null = null;
  #bytes = EMPTY;
  #size = 0;
  #announced = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get size(): number {
    return this.#size;
  }

  /** How many bytes there will be, as their sender says. */
  announce(bytes: number): void {
    this.#announced = Math.min(bytes, this.#bytesMax);
  }

  /** How much more memory the buffer takes once `bytes` are added. */
  growthFor(bytes: number): number {
    const size = Math.min(this.#size + bytes, this.#bytesMax);
    if (this.#isSmallStart(size)) return size;
    const capacity = this.#first?.length ?? this.#bytes.length;
    if (size <= capacity) return 0;
    return Math.max(size, this.#nextCapacity(size, capacity)) - capacity;
  }

  /** Adds the bytes that still fit; false when some did not. */
  add(chunk: Uint8Array): boolean {
    const room = this.#bytesMax - this.#size;
    const fitting = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (fitting.length === 0) return chunk.length === 0;
    if (this.#isSmallStart(fitting.length)) this.#first = new Uint8Array(fitting);
    else this.#append(fitting);
    this.#size += fitting.length;
    return chunk.length <= room;
  }

  /** The bytes, in memory of exactly their size. The buffer is empty afterwards. */
  take(): Uint8Array {
    const bytes = this.#first ?? this.#whole();
    this.#first = null;
    this.#bytes = EMPTY;
    this.#size = 0;
    return bytes;
  }

  #nextCapacity(size: number, capacity: number): number {
    const doubled = Math.max(capacity * 2, FIRST_BYTES);
    // A sender can announce much: a part of it has to be here.
    const isBelieved = size * BELIEVED_TIMES >= this.#announced && size <= this.#announced;
    return isBelieved ? this.#announced : Math.min(this.#bytesMax, doubled);
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
/** How many times what has arrived may be set aside for what is announced. */
const BELIEVED_TIMES = 4;
