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
import {
  givenOrStoredKeys,
  KEY_FILE,
  NEXT_KEY_FILE,
  replacedKeys,
} from "../../config/secret-key-file.ts";
import type { Settings } from "../../config/settings.ts";
import { VERSION } from "../../config/version.ts";
import type { SecretKeyMark } from "../../core/model/account/account.ts";
import { requireOpens } from "../../operations/account/secret-key.ts";
import { systemClock } from "../../platform/clock.ts";
import {
  createFile,
  createWhole,
  FILE_MODE,
  makeFolder,
  syncFile,
  syncFolder,
} from "../../platform/durable-files.ts";
import { createIds } from "../../platform/ids.ts";
import { openWith, sealWith } from "../../platform/passphrase.ts";
import { createSecretBox, secretKeyIdOf } from "../../platform/secret-box.ts";
import { databasePath } from "../../service.ts";
import {
  BackupError,
  type Encryption,
  openBackup,
  type UnfinishedWork,
  verifyBackup,
  writeBackup,
} from "../../store/sqlite/upkeep/backup.ts";
import { CommandError } from "../command-error.ts";
import type { Flags, StoreHandlers } from "../flags.ts";
import { dumpPostgres } from "./dump-postgres.ts";
import { progress, tell } from "../terminal/output.ts";
import { timeText } from "../terminal/time-text.ts";

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
  const sealKey = (encryption: Encryption): string | null =>
    passphrase === undefined
      ? null
      : sealWith(passphrase, keysFor(encryption, settings).join("\n"), ids);
  const madeAt = systemClock.wall();
  createFile(draft);
  progress("copying ...");
  const { tables, sealedKey } = writeBackup(source, draft, { madeAt, version: VERSION, sealKey });
  syncFile(draft);
  giveName(draft, target);
  progress("");
  tell(flags, { file: target, madeAt, hasSecretKey: sealedKey !== null, tables }, [
    `Backed up to ${target}: ${countOf(tables, "facts")} messages.`,
    sealedKey === null ? KEY_LEFT_OUT : "The secret key is in it, sealed by the passphrase.",
  ]);
}

/** The secret keys that a copy needs, which may have been rotated since it was made: the earlier one first. */
function keysFor({ secretKey, firstAccount }: Encryption, settings: Settings): readonly string[] {
  const folder = resolve(settings.data);
  const own = givenOrStoredKeys(settings);
  const known = settings.secretKey === undefined ? [...own, ...replacedKeys(folder)] : own;
  const [first, ...others] = known;
  if (first === undefined) throw new CommandError(`there is no secret key in ${folder} to seal`);
  const box = createSecretBox(first, ids, others);
  const needed =
    secretKey === null
      ? [firstAccount === null ? box.keyId : requireOpens(box, firstAccount)]
      : keyIdsOf(secretKey);
  return needed.map((keyId) => {
    const key = known.find((each) => secretKeyIdOf(each) === keyId);
    if (key !== undefined) return key;
    throw new CommandError(
      `the secret key with the id ${keyId} is missing, which decrypts the data`,
    );
  });
}

/** The earlier one first. */
function keyIdsOf({ keyId, previousId }: SecretKeyMark): readonly string[] {
  return previousId === undefined ? [keyId] : [previousId, keyId];
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
  const { madeAt, sealedKey, secretKey: mark } = verified(file);
  const secretKeys = passphrase === undefined ? [] : openedKeys(passphrase, sealedKey);
  const unfinished = fill(settings, file, secretKeys);
  progress("");
  const { messages, runs, schedules } = unfinished;
  const secretKeyIds = mark === null ? [] : keyIdsOf(mark);
  const hasSecretKey = secretKeys.length > 0;
  tell(flags, { folder, madeAt, hasSecretKey, secretKeyIds, ...unfinished }, [
    `Restored into ${folder}, as it was at ${timeText(madeAt)}.`,
    `Then ${messages} messages had not ended, ${runs} runs were under way, and there were ${schedules} schedules.`,
    "What has been sent since then is sent again, so the server starts paused: look at it, cancel what must not be sent again, then resume.",
    ...(hasSecretKey ? [] : [`First ${KEY_MISSING}${sealedKey === null ? "" : OR_OPEN}`]),
    ...(hasSecretKey || mark === null ? [] : [needText(mark)]),
    `  postrider serve --data ${folder}`,
    `  postrider resume --data ${folder}`,
  ]);
}

/** The database gets its name last: a folder with one and without a key would not start. */
function fill(settings: Settings, file: string, secretKeys: readonly string[]): UnfinishedWork {
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
    for (const [index, name] of [KEY_FILE, NEXT_KEY_FILE].entries()) {
      const key = secretKeys[index];
      if (key === undefined) continue;
      createWhole(join(folder, name), `${key}\n`, ids.secret(DRAFT_CHARACTERS));
    }
    renameSync(draft, path);
    syncFolder(folder);
    return unfinished;
  } finally {
    rmSync(draft, { force: true });
  }
}

export function verify(file: string, flags: Flags): void {
  const { madeAt, version, sealedKey, tables, secretKey: mark } = verified(file);
  const hasSecretKey = sealedKey !== null;
  const secretKeyIds = mark === null ? [] : keyIdsOf(mark);
  tell(flags, { madeAt, version, hasSecretKey, secretKeyIds, tables }, [
    `Whole. Made at ${timeText(madeAt)} by postrider ${version}, ${hasSecretKey ? "with" : "without"} the secret key.`,
    ...(mark === null ? [] : [needText(mark)]),
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

function openedKeys(passphrase: string, sealedKey: string | null): readonly string[] {
  if (sealedKey === null) {
    throw new CommandError("the backup holds no secret key; leave out --passphrase-file");
  }
  try {
    return openWith(passphrase, sealedKey, ids).split("\n");
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

function needText(mark: SecretKeyMark): string {
  const keyIds = keyIdsOf(mark);
  return `Its signing keys need the secret key with the id ${keyIds.join(", and the one with the id ")}.`;
}

function countOf(tables: readonly { name: string; rows: number }[], name: string): number {
  return tables.find((table) => table.name === name)?.rows ?? 0;
}

const DRAFT_CHARACTERS = 10;
const PASSPHRASE_MIN = 12;
const KEY_MISSING = `copy ${KEY_FILE} of the old server into the folder, or set POSTRIDER_SECRET_KEY: it decrypts the signing keys.`;
const OR_OPEN = " Or restore it from the backup, into another folder, with --passphrase-file.";
const KEY_LEFT_OUT = `The secret key is not in it. Keep ${KEY_FILE} elsewhere, or give --passphrase-file.`;
