import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { KEY_FILE, NEXT_KEY_FILE } from "./secret-key-file.ts";
import { FILE_MODE } from "../platform/durable-files.ts";
import type { Log } from "../platform/log.ts";

/** Checks whether other users of the machine can reach the data. */
export function guardFiles(folder: string, log: Log): void {
  warnOfWriters(folder, log);
  closeToOthers(folder, log);
}

/**
 * Keeps the permissions of an existing folder, and logs a warning where other users can replace its
 * files.
 */
function warnOfWriters(folder: string, log: Log): void {
  const { mode } = statSync(folder);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  log.warn(
    "other users can write to the data folder and so replace the database; run chmod go-w on it",
    {
      folder,
      mode: (mode & 0o777).toString(8),
    },
  );
}

/**
 * Earlier versions created files that every user of the machine could read. A file of another owner
 * is left unchanged.
 */
function closeToOthers(folder: string, log: Log): void {
  for (const name of DATA_FILES) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || found.uid !== process.getuid?.()) continue;
    if ((found.mode & OPEN_TO_OTHERS) === 0) continue;
    chmodSync(path, FILE_MODE);
    log.warn("a file was open to other users of this machine; it is now its owner's alone", {
      path,
      mode: (found.mode & 0o777).toString(8),
    });
  }
}

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;
/** Files of the service. SQLite gives the two that it creates later the mode of the database. */
export const DATA_FILES = [
  "postrider.db",
  "postrider.db-wal",
  "postrider.db-shm",
  "postrider.db.lock",
  KEY_FILE,
  NEXT_KEY_FILE,
];
