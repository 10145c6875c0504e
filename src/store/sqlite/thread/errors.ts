import { StoreOpenError } from "../../store-open-error.ts";

/** SQLite's primary result codes that decide what happens next. */
const BUSY = 5;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;
/** An extended one: a constraint that a trigger has found broken. */
const TRIGGER = 1811;

const codeOf = (error: unknown): number =>
  ((error as { errcode?: number } | null)?.errcode ?? 0) & 0xff;

/** The file can no longer be trusted: stop, and recover from what is on disk. */
export function isFatal(error: unknown): boolean {
  return [IO_ERROR, CORRUPT, NOT_A_DATABASE].includes(codeOf(error));
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === FULL;
}

/** A trigger of a move refuses every write after it. */
export function isMoved(error: unknown): boolean {
  return (error as { errcode?: number } | null)?.errcode === TRIGGER;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

/** Not the fault of an act: running it alone would not help. */
export function isOutage(error: unknown): boolean {
  return isFatal(error) || isDiskFull(error) || isBusy(error) || isMoved(error);
}

/** What the operator reads when a file cannot be used. Other errors are defects, and stay. */
export function toOpenError(error: unknown, path: string): unknown {
  // An error that comes out of a thread has kept its name, but not its class.
  if (error instanceof Error && error.name === "StoreOpenError") {
    return new StoreOpenError(error.message, error);
  }
  const says = ADVICE[codeOf(error)];
  if (says === undefined) return error;
  const { message } = error as Error;
  return new StoreOpenError(`the database ${path} ${says} (${message})`, error);
}

/** A data folder that is no folder, or that cannot be created. */
export function toFolderError(error: unknown, folder: string): StoreOpenError {
  const { code, message } = error as NodeJS.ErrnoException;
  const says =
    code === "EEXIST"
      ? "is not a folder. Name a folder with --data"
      : "cannot be created. Name a folder with --data in which this user may write";
  return new StoreOpenError(`the data folder ${folder} ${says} (${message})`, error);
}

const NOT_USABLE = "cannot be opened. Check that it is a file this user may read and write";
const DAMAGED =
  "is damaged, or not a database of SQLite. Restore it from a backup, or move it away to start with an empty one";

/** By the primary result code of SQLite. */
const ADVICE: Readonly<Record<number, string>> = {
  3: NOT_USABLE,
  [BUSY]: "is kept locked by another program. End that, or wait until it is done",
  8: "cannot be written. Check the rights of this user, and that the disk is not read-only",
  10: "cannot be read or written: the disk fails, or its file system does not allow what SQLite needs",
  11: DAMAGED,
  13: "has no room: the disk is full. Make room, or give another --data folder",
  14: NOT_USABLE,
  26: DAMAGED,
};
