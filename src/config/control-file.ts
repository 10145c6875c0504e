import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../platform/durable-files.ts";

/** How a command on the same machine reaches the service that holds the data. */
export interface Control {
  /** Where its console is. */
  readonly url: string;
  /** Drawn at each start; whoever can read the data folder may show it. */
  readonly secret: string;
}

export function writeControlFile(folder: string, control: Control): void {
  replaceFile(pathIn(folder), `${JSON.stringify(control)}\n`);
}

/** Null when no service runs there, or none that has told. One that was killed may have left it. */
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
  return join(folder, "control.json");
}
