import { linkSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  createWhole,
  makeFolder,
  removeDrafts,
  syncFile,
  syncFolder,
} from "../platform/durable-files.ts";
import type { Ids } from "../platform/ids.ts";
import { secretKeyIdOf } from "../platform/secret-box.ts";
import { SECRET_CHARACTERS_MIN } from "./parsers.ts";
import { SettingError } from "./read-settings.ts";
import type { Settings } from "./settings.ts";

/** The secret key and, while it is rotated, a second one. */
export interface SecretKeys {
  /** The earlier one first. */
  readonly keys: readonly [string, ...string[]];
  /** The data folder whose files hold them; null when the settings do. */
  readonly folder: string | null;
}

/**
 * The secret keys of the settings, or else those in the data folder. `hasDatabase` as for
 * `keepSecretKey`.
 */
export function secretKeysOf(settings: Settings, ids: Ids, hasDatabase: boolean): SecretKeys {
  const { databaseUrl, mode, data } = settings;
  const given = givenKeys(settings);
  if (given !== null) return { keys: given, folder: null };
  if (databaseUrl !== undefined && mode === "serve") {
    throw new SettingError(
      "with PostgreSQL, --secret-key (POSTRIDER_SECRET_KEY) must be given, the same for every node",
    );
  }
  const folder = resolve(data);
  const key = keepSecretKey(folder, ids, hasDatabase);
  const others = readKey(join(folder, NEXT_KEY_FILE)) ? [keepNextKey(folder, ids)] : [];
  return { keys: [key, ...others], folder };
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
  return durableKey(path, folder, hasDatabase ? LOST : DRAWN_AGAIN);
}

/** The key that is to replace the one in the data folder, durable when this returns. */
export function keepNextKey(folder: string, ids: Ids): string {
  const path = join(folder, NEXT_KEY_FILE);
  if (!readKey(path)) draw(path, folder, ids);
  return durableKey(path, folder, "; move it away, and start again");
}

/**
 * Puts the next key in the place of the secret key, which backups from before still need. Returns the
 * file that keeps it.
 */
export function replaceSecretKey(folder: string): string {
  const path = join(folder, KEY_FILE);
  const kept = join(folder, `${REPLACED}${secretKeyIdOf(readKey(path) ?? "")}`);
  try {
    linkSync(path, kept);
  } catch (error) {
    // An earlier run came this far.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncFolder(folder);
  renameSync(join(folder, NEXT_KEY_FILE), path);
  syncFolder(folder);
  return kept;
}

function durableKey(path: string, folder: string, advice: string): string {
  const text = readText(path) ?? "";
  if (!holdsKey(text)) throw new SettingError(`${path} holds no secret key${advice}`);
  syncFile(path);
  removeDrafts(path);
  syncFolder(folder);
  return keyIn(text);
}

/** A drawn key has a length. That of a given one is not known, but of half a line the end is missing. */
function holdsKey(text: string): boolean {
  const key = keyIn(text);
  const charactersMin = text.endsWith("\n") ? SECRET_CHARACTERS_MIN : SECRET_CHARACTERS;
  return key.length >= charactersMin && !key.includes("\0");
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
export function keepGivenKey(folder: string, key: string, ids: Ids, name = KEY_FILE): void {
  const text = `${key}\n`;
  if (!holdsKey(text) || keyIn(text) !== key) {
    throw new SettingError(
      "the secret key cannot be kept in a file, since it begins or ends with a blank; rotate to another first with postrider secret rotate",
    );
  }
  makeFolder(folder);
  const path = join(folder, name);
  createWhole(path, text, ids.secret(DRAFT_CHARACTERS));
  syncFolder(folder);
  if (readKey(path) !== key) {
    throw new SettingError(`${path} is another secret key than the one given; name another folder`);
  }
}

/** The secret keys in a data folder, as they are: the one in use and, while it is rotated, the next. */
export function storedKeys(folder: string): readonly string[] {
  return [KEY_FILE, NEXT_KEY_FILE].flatMap((name) => readKey(join(folder, name)) || []);
}

/** Those that rotations have replaced in a data folder. */
export function replacedKeys(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(REPLACED));
  return names.flatMap((name) => readKey(join(folder, name)) || []);
}

/** The secret keys of the settings, or else those in the data folder, the earlier one first. */
export function givenOrStoredKeys(settings: Settings): readonly string[] {
  return givenKeys(settings) ?? storedKeys(resolve(settings.data));
}

function givenKeys({ secretKey, previousSecretKey }: Settings): SecretKeys["keys"] | null {
  if (secretKey === undefined) return null;
  return previousSecretKey === undefined ? [secretKey] : [previousSecretKey, secretKey];
}

/** Null when there is no key file. */
function readKey(path: string): string | null {
  const text = readText(path);
  return text === null ? null : keyIn(text);
}

function keyIn(text: string): string {
  const key = text.trim();
  // Some file systems leave zeros where a write was lost.
  return /^\0*$/.test(key) ? "" : key;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    // The error of a read, unlike that of an open, does not name the file.
    throw Object.assign(error as Error, { path });
  }
}

export const KEY_FILE = "secret.key";
/** While the key is rotated. */
export const NEXT_KEY_FILE = `${KEY_FILE}.next`;
/** And the id of the key. */
const REPLACED = `${KEY_FILE}.replaced-`;
const LOST = `, but there is a database that was made with another: restore ${KEY_FILE} from a backup, or give the key with --secret-key`;
const DRAWN_AGAIN = "; remove it, and a new one is generated";
const SECRET_CHARACTERS = 44;
const DRAFT_CHARACTERS = 10;
