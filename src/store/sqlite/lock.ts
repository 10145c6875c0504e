import { DatabaseSync } from "node:sqlite";

import { StoreOpenError } from "../store-open-error.ts";
import { BUSY, codeOf } from "./errors.ts";
import { toOpenError } from "./open-error.ts";

/** Keeps a second process away from the data for as long as this one lives. */
export class DataLock {
  readonly #database: DatabaseSync;

  /** Throws a sentence for the operator when another process holds it. */
  constructor(path: string) {
    const database = open(path);
    try {
      database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      throw codeOf(error) === BUSY ? heldByAnother(path, error) : toOpenError(error, path);
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
