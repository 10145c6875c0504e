import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { CONTROL_FILE } from "../../config/control-file.ts";
import { DATA_FILES } from "../../config/data-folder.ts";
import { DataLock } from "../../store/sqlite/thread/lock.ts";
import { confirm } from "../terminal/ask-person.ts";
import { CommandError } from "../command-error.ts";
import type { LocalHandlers } from "../flags.ts";

export const HANDLERS: LocalHandlers = {
  /** Deletes the files of the service in the folder, and the folder if nothing else is in it. */
  reset: async (_words, flags) => {
    const folder = resolve(flags.text("data") ?? ".postrider");
    if (!existsSync(join(folder, "postrider.db"))) {
      throw new CommandError(`there is no data in ${folder}`, 5, "name the folder with --data");
    }
    // A server holds it for as long as it lives, also one that does not answer.
    const lock = new DataLock(join(folder, LOCK_FILE));
    try {
      await confirm(`delete every message, schedule and run in ${folder}`, flags);
      for (const name of [...DATA_FILES, CONTROL_FILE]) {
        if (name !== LOCK_FILE) rmSync(join(folder, name), { force: true });
      }
    } finally {
      lock.release();
    }
    rmSync(join(folder, LOCK_FILE), { force: true });
    if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
    process.stdout.write("The data is deleted.\n");
  },
};

const LOCK_FILE = "postrider.db.lock";
