import { readFileSync } from "node:fs";
import { SettingError } from "./read-settings.ts";

/** The certificate authorities in the file that `--egress-ca` names, in PEM form. */
export function readAuthorities(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  try {
    return [readFileSync(path, "utf8")];
  } catch (error) {
    throw new SettingError(`egress-ca: ${(error as Error).message}`);
  }
}
