/** The passphrase that seals the secret key in a backup. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CommandError } from "../command-error.ts";
import type { Flags } from "../flags.ts";

export function passphraseOf(flags: Flags): string | undefined {
  const file = flags.text("passphrase-file");
  if (file === undefined) return undefined;
  const text = readGiven(file).replace(/\r?\n$/, "");
  if (text.length < PASSPHRASE_MIN) {
    throw new CommandError(`${file} must hold at least ${PASSPHRASE_MIN} characters`);
  }
  return text;
}

function readGiven(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const path = resolve(file);
    throw new CommandError(`--passphrase-file ${path} cannot be read: ${(error as Error).message}`);
  }
}

const PASSPHRASE_MIN = 12;
