/** `postrider backup`, `restore` and `verify`: a file with everything that a server stores. */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { KEY_FILE, storedKey } from "../config/secret-key-file.ts";
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
  type UnfinishedWork,
  verifyBackup,
  writeBackup,
} from "../store/sqlite/upkeep/backup.ts";
import { CommandError } from "./command-error.ts";
import type { Flags, StoreHandlers } from "./flags.ts";
import { dumpPostgres } from "./dump-postgres.ts";
import { progress, tell } from "./output.ts";
import { timeText } from "./time-text.ts";

const ids = createIds();

export const HANDLERS: StoreHandlers = { backup: backUp, restore };

async function backUp(settings: Settings, file: string, flags: Flags): Promise<void> {
  const target = resolve(file);
  if (existsSync(target)) throw new CommandError(`${target} exists; name a file that does not`);
  const draft = `${target}.${ids.secret(DRAFT_CHARACTERS)}`;
  const remove = (): void => rmSync(draft, { force: true });
  process.once("SIGINT", () => {
    remove();
    process.exit(130);
  });
  try {
    if (settings.databaseUrl === undefined) backUpSqlite(settings, { draft, target }, flags);
    else await backUpPostgres(settings, { draft, target }, flags);
  } finally {
    remove();
  }
}

interface BackupFiles {
  readonly draft: string;
  readonly target: string;
}

function backUpSqlite(settings: Settings, { draft, target }: BackupFiles, flags: Flags): void {
  const passphrase = passphraseOf(flags);
  const source = databasePath(settings);
  if (!existsSync(source)) {
    throw new CommandError(`there is no database at ${source}`, 5, "name the folder with --data");
  }
  const secretKey = settings.secretKey ?? storedKey(resolve(settings.data));
  if (passphrase !== undefined && secretKey === null) {
    throw new CommandError(`there is no secret key in ${resolve(settings.data)} to seal`);
  }
  const sealedKey = passphrase && secretKey ? sealWith(passphrase, secretKey, ids) : null;
  const madeAt = systemClock.wall();
  createFile(draft);
  progress("copying ...");
  const tables = writeBackup(source, draft, { madeAt, version: VERSION, sealedKey });
  syncFile(draft);
  giveName(draft, target);
  progress("");
  tell(flags, { file: target, madeAt, hasSecretKey: sealedKey !== null, tables }, [
    `Backed up to ${target}: ${countOf(tables, "facts")} messages.`,
    sealedKey === null ? KEY_LEFT_OUT : "The secret key is in it, sealed by the passphrase.",
  ]);
}

async function backUpPostgres(
  settings: Settings,
  { draft, target }: BackupFiles,
  flags: Flags,
): Promise<void> {
  if (flags.text("passphrase-file") !== undefined) {
    throw new CommandError(
      "with PostgreSQL the secret key is a setting of the nodes and not in the backup; leave out --passphrase-file",
    );
  }
  await dumpPostgres(settings, draft);
  giveName(draft, target);
  const { databaseSchema: schema } = settings;
  tell(flags, { file: target, schema }, [
    `Backed up the schema ${schema} to ${target}. Keep POSTRIDER_SECRET_KEY elsewhere.`,
  ]);
}

/** Gives a whole file its name, which no other file may have. Some file systems have no links. */
function giveName(draft: string, target: string): void {
  try {
    linkSync(draft, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    copyFileSync(draft, target, constants.COPYFILE_EXCL);
    syncFile(target);
  }
  syncFolder(dirname(target));
}

function restore(settings: Settings, file: string, flags: Flags): void {
  if (settings.databaseUrl !== undefined) {
    throw new CommandError(
      "a backup of PostgreSQL is restored by pg_restore --exit-on-error --no-owner --dbname=URL FILE",
      1,
      "then start every node with --paused: what has been sent since the backup is sent again",
    );
  }
  const folder = resolve(settings.data);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CommandError(`${folder} is not empty; restore into a new folder with --data`);
  }
  const passphrase = passphraseOf(flags);
  const { madeAt, sealedKey } = verified(file);
  const secretKey = passphrase === undefined ? null : openedKey(passphrase, sealedKey);
  const unfinished = fill(settings, file, secretKey);
  progress("");
  const { messages, runs, schedules } = unfinished;
  tell(flags, { folder, madeAt, hasSecretKey: secretKey !== null, ...unfinished }, [
    `Restored into ${folder}, as it was at ${timeText(madeAt)}.`,
    `Then ${messages} messages had not ended, ${runs} runs were under way, and there were ${schedules} schedules.`,
    "What has been sent since then is sent again, so the server starts paused: look at it, cancel what must not be sent again, then resume.",
    ...(secretKey === null ? [`First ${KEY_MISSING}${sealedKey === null ? "" : OR_OPEN}`] : []),
    `  postrider serve --data ${folder}`,
    `  postrider resume --data ${folder}`,
  ]);
}

/** The database gets its name last: a folder with one and without a key would not start. */
function fill(settings: Settings, file: string, secretKey: string | null): UnfinishedWork {
  const path = databasePath(settings);
  const folder = dirname(path);
  makeFolder(folder);
  const draft = `${path}.restoring`;
  try {
    progress("copying ...");
    copyFileSync(file, draft);
    chmodSync(draft, FILE_MODE);
    const unfinished = openBackup(draft);
    syncFile(draft);
    if (secretKey !== null) {
      createWhole(join(folder, KEY_FILE), `${secretKey}\n`, ids.secret(DRAFT_CHARACTERS));
    }
    renameSync(draft, path);
    syncFolder(folder);
    return unfinished;
  } finally {
    rmSync(draft, { force: true });
  }
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

function countOf(tables: readonly { name: string; rows: number }[], name: string): number {
  return tables.find((table) => table.name === name)?.rows ?? 0;
}

const DRAFT_CHARACTERS = 10;
const PASSPHRASE_MIN = 12;
const KEY_MISSING = `copy ${KEY_FILE} of the old server into the folder, or set POSTRIDER_SECRET_KEY: it decrypts the signing keys.`;
const OR_OPEN = " Or restore it from the backup, into another folder, with --passphrase-file.";
const KEY_LEFT_OUT = `The secret key is not in it. Keep ${KEY_FILE} elsewhere, or give --passphrase-file.`;
