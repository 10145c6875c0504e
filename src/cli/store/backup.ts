/** `postrider backup`: a file with everything that a server stores. */
import { resolve } from "node:path";
import { givenOrStoredKeys, KEY_FILE, replacedKeys } from "../../config/secret-key-file.ts";
import type { Settings } from "../../config/settings.ts";
import { VERSION } from "../../config/version.ts";
import type { SecretKeyMark } from "../../core/model/account/account.ts";
import { requireOpens } from "../../operations/account/secret-key.ts";
import { systemClock } from "../../platform/clock.ts";
import { createFile, syncFile } from "../../platform/durable-files.ts";
import { createIds } from "../../platform/ids.ts";
import { sealWith } from "../../platform/passphrase.ts";
import { createSecretBox, secretKeyIdOf } from "../../platform/secret-box.ts";
import { databasePath } from "../../service.ts";
import { type Backup, type Encryption, sealBackup } from "../../store/sqlite/upkeep/backup.ts";
import { toOpenError } from "../../store/sqlite/thread/errors.ts";
import { CommandError } from "../command-error.ts";
import type { Flags, StoreHandlers } from "../flags.ts";
import { toWriteError } from "../given-file.ts";
import { requireDatabase } from "../own-data.ts";
import type { CopyAnswer, CopyQuestion } from "./copy-sqlite.ts";
import {
  giveName,
  newFile,
  type NewFile,
  removeOldDrafts,
  withDraft,
  withWriter,
} from "../new-file.ts";
import { dumpPostgres } from "./dump-postgres.ts";
import { passphraseOf } from "./passphrase-file.ts";
import { askSqlite } from "./sqlite-process.ts";
import { progress, tell } from "../terminal/output.ts";

const ids = createIds();

export const HANDLERS: StoreHandlers = { backup: backUp };

async function backUp(settings: Settings, file: string, flags: Flags): Promise<void> {
  const made = newFile(file);
  removeOldDrafts(made, systemClock.wall());
  const backUpStore = settings.databaseUrl === undefined ? backUpSqlite : backUpPostgres;
  await withDraft(made.draft, () => backUpStore(settings, made, flags));
}

async function backUpSqlite(
  settings: Settings,
  { draft, target }: NewFile,
  flags: Flags,
): Promise<void> {
  const passphrase = passphraseOf(flags);
  const source = requireDatabase(databasePath(settings));
  const madeAt = systemClock.wall();
  try {
    createFile(draft);
  } catch (error) {
    throw toWriteError(target, error);
  }
  progress("copying ...");
  const { tables, encryption } = await copied({ source, draft, madeAt, version: VERSION });
  if (passphrase !== undefined) {
    sealBackup(draft, sealWith(passphrase, keysFor(encryption, settings).join("\n"), ids));
  }
  syncFile(draft);
  giveName({ draft, target });
  progress("");
  tell(flags, { file: target, madeAt, hasSecretKey: passphrase !== undefined, tables }, [
    `Backed up to ${target}: ${countOf(tables, "facts")} messages.`,
    passphrase === undefined ? KEY_LEFT_OUT : "The secret key is in it, sealed by the passphrase.",
  ]);
}

/** Made by a process that Ctrl-C ends at once. */
async function copied(question: CopyQuestion): Promise<Backup> {
  const asked = askSqlite<CopyAnswer>("copy-sqlite", question);
  const answer = await withWriter(asked.kill, asked.answer);
  if (answer === null) throw new CommandError("the process that copies has ended");
  if ("backup" in answer) return answer.backup;
  const { message, errcode } = answer.error;
  throw toOpenError(Object.assign(new Error(message), { errcode }), question.draft);
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
export function keyIdsOf({ keyId, previousId }: SecretKeyMark): readonly string[] {
  return previousId === undefined ? [keyId] : [previousId, keyId];
}

async function backUpPostgres(
  settings: Settings,
  { draft, target }: NewFile,
  flags: Flags,
): Promise<void> {
  if (flags.text("passphrase-file") !== undefined) {
    throw new CommandError(
      "with PostgreSQL the secret key is a setting of the nodes and not in the backup; leave out --passphrase-file",
    );
  }
  await dumpPostgres(settings, draft);
  giveName({ draft, target });
  const { databaseSchema: schema } = settings;
  tell(flags, { file: target, schema }, [
    `Backed up the schema ${schema} to ${target}. Keep POSTRIDER_SECRET_KEY elsewhere.`,
  ]);
}

function countOf(tables: readonly { name: string; rows: number }[], name: string): number {
  return tables.find((table) => table.name === name)?.rows ?? 0;
}

const KEY_LEFT_OUT = `The secret key is not in it. Keep ${KEY_FILE} elsewhere, or give --passphrase-file.`;
