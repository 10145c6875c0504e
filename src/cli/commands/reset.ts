import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { CONTROL_FILE, readControlFile } from "../../config/control-file.ts";
import { DATA_FILES } from "../../config/data-folder.ts";
import { confirm } from "../ask-person.ts";
import { CommandError } from "../command-error.ts";
import type { LocalHandlers } from "../flags.ts";
import { isAlive, reachable } from "../reachable.ts";

export const HANDLERS: LocalHandlers = {
  /** Deletes the files of the service in the folder, and the folder if nothing else is in it. */
  reset: async (_words, flags) => {
    const folder = resolve(flags.text("data") ?? ".postrider");
    if (!existsSync(join(folder, "postrider.db"))) {
      throw new CommandError(`there is no data in ${folder}`, 5, "name the folder with --data");
    }
    await requireStopped(folder);
    await confirm(`delete every message, schedule and run in ${folder}`, flags);
    for (const name of [...DATA_FILES, CONTROL_FILE]) rmSync(join(folder, name), { force: true });
    if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
    process.stdout.write("The data is deleted.\n");
  },
};

async function requireStopped(folder: string): Promise<void> {
  const control = readControlFile(folder);
  if (control === null) return;
  const url = reachable(control.url);
  if (await isAlive(url))
    throw new CommandError(`a server uses this data, at ${url}; stop it first`);
}
