/** A store that cannot be opened as it is. The message tells the operator what to do. */
export class StoreOpenError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StoreOpenError";
  }
}
