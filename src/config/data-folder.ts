import { statSync } from "node:fs";
import type { Log } from "../platform/log.ts";

/** A folder that was there is left as its owner made it; where others could replace its files, the log says so. */
export function warnOfWriters(folder: string, log: Log): void {
  const { mode } = statSync(folder);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  log.warn("others can write to the data folder, and so replace the database; chmod go-w it", {
    folder,
    mode: (mode & 0o777).toString(8),
  });
}

const WRITABLE_BY_OTHERS = 0o022;
