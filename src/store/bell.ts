/** Tells the claim loop that messages may be due. A ring carries no data and may be spurious. */
export class Bell {
  #listeners = new Set<() => void>();

  ring(): void {
    for (const listener of this.#listeners) listener();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
