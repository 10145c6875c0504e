import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  createWhole,
  makeFolder,
  removeDrafts,
  syncFile,
  syncFolder,
} from "../platform/durable-files.ts";
import type { Ids } from "../platform/ids.ts";
import { SettingError } from "./read-settings.ts";
import type { Settings } from "./settings.ts";

/**
 * The secret key of the settings, or else the one in the data folder. `hasDatabase` as for
 * `keepSecretKey`.
 */
export function secretKeyOf(
  { secretKey, databaseUrl, mode, data }: Settings,
  ids: Ids,
  hasDatabase: boolean,
): string {
  if (secretKey !== undefined) return secretKey;
  if (databaseUrl !== undefined && mode === "serve") {
    throw new SettingError(
      "with PostgreSQL, --secret-key (POSTRIDER_SECRET_KEY) must be given, the same for every node",
    );
  }
  return keepSecretKey(resolve(data), ids, hasDatabase);
}

/**
 * The secret key in the data folder, durable when this returns. A missing key is generated, unless
 * there is a database already: only the key that the database was created with opens it.
 */
export function keepSecretKey(folder: string, ids: Ids, hasDatabase: boolean): string {
  const path = join(folder, KEY_FILE);
  if (!readKey(path)) {
    if (hasDatabase) throw new SettingError(`${path} is missing or empty${LOST}`);
    draw(path, folder, ids);
  }
  const key = readKey(path);
  if (key === null || key.length < SECRET_CHARACTERS || key.includes("\0")) {
    throw new SettingError(
      `${path} holds no secret key${hasDatabase ? LOST : "; remove it, and a new one is generated"}`,
    );
  }
  syncFile(path);
  removeDrafts(path);
  syncFolder(folder);
  return key;
}

function draw(path: string, folder: string, ids: Ids): void {
  try {
    makeFolder(folder);
    // An empty file was left by a killed process or by a power cut.
    if (readKey(path) === "") rmSync(path);
    createWhole(path, `${ids.secret(SECRET_CHARACTERS)}\n`, ids.secret(DRAFT_CHARACTERS));
  } catch (error) {
    throw new SettingError(
      `the secret key cannot be written to ${folder}. Let this user write there and make room, or give the key with --secret-key (${(error as Error).message})`,
    );
  }
}

/** Puts a secret key into a data folder that has none, or the same. */
export function keepGivenKey(folder: string, key: string, ids: Ids): void {
  makeFolder(folder);
  const path = join(folder, KEY_FILE);
  createWhole(path, `${key}\n`, ids.secret(DRAFT_CHARACTERS));
  syncFolder(folder);
  if (readKey(path) !== key) {
    throw new SettingError(`${path} is another secret key than the one given; name another folder`);
  }
}

/** The secret key in a data folder, as it is; null when there is none. */
export function storedKey(folder: string): string | null {
  return readKey(join(folder, KEY_FILE)) || null;
}

/** Null when there is no key file. */
function readKey(path: string): string | null {
  try {
    const text = readFileSync(path, "utf8").trim();
    // Some file systems leave zeros where a write was lost.
    return /^\0*$/.test(text) ? "" : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    // The error of a read, unlike that of an open, does not name the file.
    throw Object.assign(error as Error, { path });
  }
}

export const KEY_FILE = "secret.key";
const LOST = `, but there is a database that was made with another: restore ${KEY_FILE} from a backup, or give the key with --secret-key`;
const SECRET_CHARACTERS = 44;
const DRAFT_CHARACTERS = 10;
