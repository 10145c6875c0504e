import { DatabaseSync } from "node:sqlite";

/** Keeps a second process away from the data for as long as this one lives. */
export class DataLock {
  readonly #database: DatabaseSync;

  /** Throws a sentence for the operator when somebody else holds it. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    } catch (error) {
      this.#database.close();
      throw new Error(
        `another postrider is using this data (${path} is locked); stop it, or give this one another --data folder`,
        { cause: error },
      );
    }
  }

  release(): void {
    this.#database.close();
  }
}
