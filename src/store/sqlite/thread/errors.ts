/** SQLite's primary result codes that decide what happens next. */
const BUSY = 5;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

export const codeOf = (error: unknown): number =>
  ((error as { errcode?: number } | null)?.errcode ?? 0) & 0xff;

/** The file can no longer be trusted: stop, and recover from what is on disk. */
export function isFatal(error: unknown): boolean {
  return [IO_ERROR, CORRUPT, NOT_A_DATABASE].includes(codeOf(error));
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === FULL;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

/** Not the fault of an act: running it alone would not help. */
export function isOutage(error: unknown): boolean {
  return isFatal(error) || isDiskFull(error) || isBusy(error);
}
