import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../platform/durable-files.ts";

/** How a command on the same machine reaches the service that holds the data folder. */
export interface Control {
  /** Base URL of the service's console. */
  readonly url: string;
  /** Generated at each start; a process that can read the data folder may use it. */
  readonly secret: string;
}

export function writeControlFile(folder: string, control: Control): void {
  replaceFile(pathIn(folder), `${JSON.stringify(control)}\n`);
}

/** Null when no service has written it; a service that was killed may have left an old one. */
export function readControlFile(folder: string): Control | null {
  let text: string;
  try {
    text = readFileSync(pathIn(folder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    const { url, secret } = JSON.parse(text) as Partial<Control>;
    return typeof url === "string" && typeof secret === "string" ? { url, secret } : null;
  } catch {
    return null;
  }
}

export function removeControlFile(folder: string): void {
  rmSync(pathIn(folder), { force: true });
}

function pathIn(folder: string): string {
  return join(folder, CONTROL_FILE);
}

export const CONTROL_FILE = "control.json";
