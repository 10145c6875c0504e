import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ids } from "../platform/ids.ts";
import { SettingError } from "./read-settings.ts";

/** The secret key that is kept beside the data; drawn at the first start, readable by its owner. */
export function keepSecretKey(folder: string, ids: Ids): string {
  const path = join(folder, "secret.key");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, `${ids.secret(SECRET_CHARACTERS)}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = readFileSync(path, "utf8").trim();
  if (key.length < SECRET_CHARACTERS) throw new SettingError(`${path}: holds no secret key`);
  return key;
}

const SECRET_CHARACTERS = 44;
