/** `postrider backup`, `restore` and `verify`: a file with everything that a server stores. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Settings } from "../config/settings.ts";
import { VERSION } from "../config/version.ts";
import { systemClock } from "../platform/clock.ts";
import {
  createFile,
  createWhole,
  FILE_MODE,
  makeFolder,
  syncFile,
  syncFolder,
} from "../platform/durable-files.ts";
import { createIds } from "../platform/ids.ts";
import { openWith, sealWith } from "../platform/passphrase.ts";
import { databasePath } from "../service.ts";
import {
  BackupError,
  openBackup,
  verifyBackup,
  writeBackup,
} from "../store/sqlite/upkeep/backup.ts";
import { CommandError } from "./command-error.ts";
import type { Flags } from "./flags.ts";
import { dumpPostgres } from "./dump-postgres.ts";
import { progress } from "./output.ts";
import { timeText } from "./time-text.ts";

const ids = createIds();

/** What a command does with the store that the settings name. */
type StoreCommand = (settings: Settings, file: string, flags: Flags) => Promise<void> | void;

export const STORE_COMMANDS: Readonly<Record<string, StoreCommand>> = { backup: backUp, restore };

async function backUp(settings: Settings, file: string, flags: Flags): Promise<void> {
  const target = resolve(file);
  if (existsSync(target)) throw new CommandError(`${target} exists; name a file that does not`);
  const passphrase = passphraseOf(flags);
  if (settings.databaseUrl !== undefined) return dumpPostgres(settings, target, flags);
  const source = databasePath(settings);
  if (!existsSync(source)) throw new CommandError(noData(source), 5, "name the folder with --data");
  const secretKey = settings.secretKey ?? readKey(settings);
  const sealedKey = passphrase && secretKey ? sealWith(passphrase, secretKey, ids) : null;
  if (passphrase && secretKey === null) {
    throw new CommandError(`there is no secret key in ${resolve(settings.data)} to seal`);
  }
  const madeAt = systemClock.wall();
  const draft = `${target}.${ids.secret(DRAFT_CHARACTERS)}`;
  createFile(draft);
  try {
    progress("copying ...");
    const tables = writeBackup(source, draft, { madeAt, version: VERSION, sealedKey });
    syncFile(draft);
    linkSync(draft, target);
    syncFolder(dirname(target));
    progress("");
    tell(flags, { file: target, madeAt, hasSecretKey: sealedKey !== null, tables }, [
      `Backed up to ${target}: ${countOf(tables, "facts")} messages.`,
      sealedKey === null ? KEY_LEFT_OUT : "The secret key is in it, sealed by the passphrase.",
    ]);
  } finally {
    rmSync(draft, { force: true });
  }
}

function restore(settings: Settings, file: string, flags: Flags): void {
  if (settings.databaseUrl !== undefined) {
    const command = "pg_restore --exit-on-error --no-owner --dbname=URL FILE";
    throw new CommandError(`a backup of PostgreSQL is restored by ${command}`);
  }
  const folder = resolve(settings.data);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CommandError(`${folder} is not empty; restore into a new folder with --data`);
  }
  const passphrase = passphraseOf(flags);
  const { madeAt, sealedKey } = verified(file);
  const secretKey = passphrase === undefined ? null : openedKey(passphrase, sealedKey);
  makeFolder(folder);
  const draft = join(folder, "postrider.db.restoring");
  progress("copying ...");
  copyFileSync(file, draft);
  chmodSync(draft, FILE_MODE);
  const unfinished = openBackup(draft);
  syncFile(draft);
  if (secretKey !== null) {
    createWhole(join(folder, KEY_FILE), `${secretKey}\n`, ids.secret(DRAFT_CHARACTERS));
  }
  renameSync(draft, databasePath(settings));
  syncFolder(folder);
  progress("");
  const { messages, runs, schedules } = unfinished;
  tell(flags, { folder, madeAt, hasSecretKey: secretKey !== null, ...unfinished }, [
    `Restored into ${folder}, as it was at ${timeText(madeAt)}.`,
    `Then ${messages} messages had not ended, ${runs} runs were under way, and there were ${schedules} schedules.`,
    "What has been sent since then is sent again, so the server starts paused: look at it, cancel what must not be sent again, then resume.",
    ...(secretKey === null ? [`First ${KEY_MISSING}`] : []),
    `  postrider serve --data ${folder}`,
    `  postrider resume --data ${folder}`,
  ]);
}

export function verify(file: string, flags: Flags): void {
  const { madeAt, version, sealedKey, tables } = verified(file);
  tell(flags, { madeAt, version, hasSecretKey: sealedKey !== null, tables }, [
    `Whole. Made at ${timeText(madeAt)} by postrider ${version}, ${sealedKey === null ? "without" : "with"} the secret key.`,
    ...tables.filter(({ rows }) => rows > 0).map(({ name, rows }) => `${rows} ${name}`),
  ]);
}

function verified(file: string): ReturnType<typeof verifyBackup> {
  if (!existsSync(file)) throw new CommandError(`there is no file ${resolve(file)}`, 5);
  try {
    progress("reading every row ...");
    return verifyBackup(file);
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new CommandError(`${resolve(file)} is not a backup that can be used: ${error.message}`);
  } finally {
    progress("");
  }
}

function openedKey(passphrase: string, sealedKey: string | null): string {
  if (sealedKey === null) {
    throw new CommandError("the backup holds no secret key; leave out --passphrase-file");
  }
  try {
    return openWith(passphrase, sealedKey, ids);
  } catch {
    throw new CommandError("the passphrase is not the one that the secret key was sealed with");
  }
}

function passphraseOf(flags: Flags): string | undefined {
  const file = flags.text("passphrase-file");
  if (file === undefined) return undefined;
  const text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  if (text.length < PASSPHRASE_MIN) {
    throw new CommandError(`${file} must hold at least ${PASSPHRASE_MIN} characters`);
  }
  return text;
}

/** Null when the folder has none: the service was given its key. */
function readKey({ data }: Settings): string | null {
  const path = join(resolve(data), KEY_FILE);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
}

function noData(path: string): string {
  return `there is no database at ${path}`;
}

function countOf(tables: readonly { name: string; rows: number }[], name: string): number {
  return tables.find((table) => table.name === name)?.rows ?? 0;
}

function tell(flags: Flags, facts: object, lines: readonly string[]): void {
  process.stdout.write(flags.is("json") ? `${JSON.stringify(facts)}\n` : `${lines.join("\n")}\n`);
}

const KEY_FILE = "secret.key";
const DRAFT_CHARACTERS = 10;
const PASSPHRASE_MIN = 12;
const KEY_MISSING =
  "copy secret.key of the old server into the folder, or set POSTRIDER_SECRET_KEY: it decrypts the signing keys.";
const KEY_LEFT_OUT =
  "The secret key is not in it. Keep secret.key elsewhere, or give --passphrase-file.";
