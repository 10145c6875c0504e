/** The database of the data folder that a command is given. */
import { existsSync } from "node:fs";
import { CommandError } from "./command-error.ts";

/** A mistyped folder must not become a new and empty store. */
export function requireDatabase(path: string): string {
  if (existsSync(path)) return path;
  throw new CommandError(`there is no database at ${path}`, 5, NAME_THE_FOLDER);
}

export const NAME_THE_FOLDER = "name the folder with --data, which for dev is ./.postrider";
