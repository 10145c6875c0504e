/** Work that is done again and again. Any number of nodes may do it at once. */
export interface Chore {
  /** Does what is due. Returns how long to wait until the next time. */
  runOnce(): Promise<number>;
  /** It threw; it will be tried again after a pause. */
  failed(error: unknown): void;
}
