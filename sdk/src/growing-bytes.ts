import type { Bytes } from "./web-types.ts";

/** Bytes that arrive in pieces, in one array that doubles when it is full. */
export class GrowingBytes {
  #bytes = new Uint8Array(0);
  #size = 0;

  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, this.#bytes.length * 2, FIRST_BYTES));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#size);
    this.#size = size;
  }

  /** The bytes, in memory of exactly their size. The array is empty afterwards. */
  take(): Bytes {
    const bytes =
      this.#size === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#size);
    this.#bytes = new Uint8Array(0);
    this.#size = 0;
    return bytes;
  }
}

const FIRST_BYTES = 4 * 1024;
