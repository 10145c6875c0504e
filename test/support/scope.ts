/** A test or a suite: what it has started ends with it. */
export interface Scope {
  after(end: () => unknown): void;
}
