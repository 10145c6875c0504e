/** Files that a command is given by name; - is standard input. */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { CommandError } from "./command-error.ts";

export function readGiven(file: string): Buffer {
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    throw toFileError(file, error);
  }
}

/** For a file that is read later, and by others. */
export function requireReadable(file: string): void {
  try {
    // A folder can be opened, and not read.
    if (statSync(file).isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw toFileError(file, error);
  }
}

/** What the user reads when a file cannot be made. */
export function toWriteError(file: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new CommandError(`${resolve(file)} cannot be written (${code ?? message})`);
}

/** What the user reads when a file cannot be read. */
export function toFileError(file: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException;
  const path = file === "-" ? "standard input" : resolve(file);
  if (code === "ENOENT") return new CommandError(`there is no file ${path}`, 5);
  if (code === "EISDIR") return new CommandError(`${path} is a folder`);
  return new CommandError(`${path} cannot be read (${code ?? message})`);
}
