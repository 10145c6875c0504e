/** Keeps the beginning of an answer's body. What comes after the limit is nobody's business. */
export class ResponseBody {
  readonly #bytesMax: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Takes what still fits; false when some of it did not. */
  add(chunk: Uint8Array): boolean {
    const room = this.#bytesMax - this.#size;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (kept.length > 0) this.#chunks.push(kept);
    this.#size += kept.length;
    return chunk.length <= room;
  }

  /** The bytes in memory of their own: a view would keep the whole buffer of the socket alive. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.#size);
    let offset = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    return bytes;
  }
}
