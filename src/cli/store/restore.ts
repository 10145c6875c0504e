/** `postrider restore` and `verify`: what a backup holds, and a data folder made of it. */
import { createReadStream, createWriteStream, existsSync, readdirSync, renameSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { keepGivenKey, KEY_FILE, NEXT_KEY_FILE } from "../../config/secret-key-file.ts";
import type { Settings } from "../../config/settings.ts";
import type { SecretKeyMark } from "../../core/model/account/account.ts";
import { FILE_MODE, makeFolder, syncFile, syncFolder } from "../../platform/durable-files.ts";
import { createIds } from "../../platform/ids.ts";
import { openWith } from "../../platform/passphrase.ts";
import { databasePath } from "../../service.ts";
import {
  BackupError,
  openBackup,
  type UnfinishedWork,
  verifyBackup,
} from "../../store/sqlite/upkeep/backup.ts";
import { CommandError } from "../command-error.ts";
import type { Flags, StoreHandlers } from "../flags.ts";
import { requireReadable } from "../given-file.ts";
import { keyIdsOf } from "./backup.ts";
import { withDraft } from "../new-file.ts";
import { passphraseOf } from "./passphrase-file.ts";
import { progress, tell } from "../terminal/output.ts";
import { timeText } from "../terminal/time-text.ts";

const ids = createIds();

export const HANDLERS: StoreHandlers = { restore };

async function restore(settings: Settings, file: string, flags: Flags): Promise<void> {
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
  const secretKeys = passphrase === undefined ? [] : openedKeys(passphrase, sealedKey, mark);
  const unfinished = await fill(settings, file, secretKeys);
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
async function fill(
  settings: Settings,
  file: string,
  secretKeys: readonly string[],
): Promise<UnfinishedWork> {
  const path = databasePath(settings);
  const folder = dirname(path);
  makeFolder(folder);
  const draft = `${path}.restoring`;
  return withDraft(draft, async () => {
    progress("copying ...");
    await pipeline(createReadStream(file), createWriteStream(draft, { mode: FILE_MODE }));
    const unfinished = openBackup(draft);
    syncFile(draft);
    for (const [index, name] of [KEY_FILE, NEXT_KEY_FILE].entries()) {
      const key = secretKeys[index];
      if (key !== undefined) keepGivenKey(folder, key, ids, name);
    }
    renameSync(draft, path);
    syncFolder(folder);
    return unfinished;
  });
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
  requireReadable(file);
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

function openedKeys(
  passphrase: string,
  sealedKey: string | null,
  mark: SecretKeyMark | null,
): readonly string[] {
  if (sealedKey === null) {
    throw new CommandError("the backup holds no secret key; leave out --passphrase-file");
  }
  try {
    const keys = openWith(passphrase, sealedKey, ids);
    // One key may have several lines.
    return mark?.previousId === undefined ? [keys] : keys.split("\n");
  } catch {
    throw new CommandError("the passphrase is not the one that the secret key was sealed with");
  }
}

function needText(mark: SecretKeyMark): string {
  const keyIds = keyIdsOf(mark);
  return `Its signing keys need the secret key with the id ${keyIds.join(", and the one with the id ")}.`;
}

const KEY_MISSING = `copy ${KEY_FILE} of the old server into the folder, or set POSTRIDER_SECRET_KEY: it decrypts the signing keys.`;
const OR_OPEN = " Or restore it from the backup, into another folder, with --passphrase-file.";
