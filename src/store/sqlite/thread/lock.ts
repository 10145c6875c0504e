import { DatabaseSync } from "node:sqlite";
import { createFile } from "../../../platform/durable-files.ts";
import { StoreOpenError } from "../../store-open-error.ts";
import { isBusy, toOpenError } from "./errors.ts";

/** Keeps a second process away from the data for as long as this one lives. */
export class DataLock {
  readonly #database: DatabaseSync;

  /** Throws a sentence for the operator when another process holds the lock. */
  constructor(path: string) {
    createFile(path);
    const database = open(path);
    try {
      // A journal in memory writes no file, so the lock can be taken on a full disk.
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      throw isBusy(error) ? heldByAnother(path, error) : toOpenError(error, path);
    }
    this.#database = database;
  }

  release(): void {
    this.#database.close();
  }
}

function open(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw toOpenError(error, path);
  }
}

function heldByAnother(path: string, cause: unknown): StoreOpenError {
  return new StoreOpenError(
    `another postrider is using this data (${path} is locked); stop it, or give this one another --data folder`,
    cause,
  );
}
