/** `postrider move`: the data of a server from SQLite to PostgreSQL, or back. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { givenOrStoredKeys, keepGivenKey, KEY_FILE } from "../../config/secret-key-file.ts";
import { SETTINGS, type Settings } from "../../config/settings.ts";
import { requireOpens } from "../../operations/account/secret-key.ts";
import { systemClock } from "../../platform/clock.ts";
import { createIds } from "../../platform/ids.ts";
import { createSecretBox } from "../../platform/secret-box.ts";
import { databasePath } from "../../service.ts";
import { type Moved, moveStore } from "../../store/move/move.ts";
import type { MoveSource, MoveTarget } from "../../store/move/move-ends.ts";
import {
  OutcomeUnknown,
  serverOf,
  toOpenError as toPostgresError,
} from "../../store/postgres/driver/errors.ts";
import { PostgresSource } from "../../store/postgres/move/source.ts";
import { PostgresTarget } from "../../store/postgres/move/target.ts";
import { toAccountRecord } from "../../store/records/resource-tables.ts";
import { movedFrom } from "../../store/sqlite/move/moved-file.ts";
import { StoreOpenError } from "../../store/store-open-error.ts";
import { SqliteSource } from "../../store/sqlite/move/source.ts";
import { SqliteTarget } from "../../store/sqlite/move/target.ts";
import { toOpenError as toSqliteError } from "../../store/sqlite/thread/errors.ts";
import { CommandError } from "../command-error.ts";
import type { Flags, StoreHandlers } from "../flags.ts";
import { NAME_THE_FOLDER } from "../own-data.ts";
import { withoutPassword } from "./dump-postgres.ts";
import { progress, remark, tell } from "../terminal/output.ts";

export const HANDLERS: StoreHandlers = { move };

const ids = createIds();
const clock = systemClock;

async function move(settings: Settings, _file: string, flags: Flags): Promise<void> {
  const [to, from] = [flags.text("to"), flags.text("from")];
  if (to !== undefined && from !== undefined) {
    throw new CommandError("give --to or --from: the other store is the data folder");
  }
  if (flags.is("cancel")) return cancel(settings, from, flags);
  process.once("SIGINT", stop);
  if (to !== undefined) await moveToPostgres(settings, to, flags);
  else if (from !== undefined) await moveToFolder(settings, from, flags);
  else throw new CommandError("give --to URL, or --from URL to move back into the data folder");
}

async function moveToPostgres(settings: Settings, url: string, flags: Flags): Promise<void> {
  const { databaseSchema: schema } = settings;
  const source = openFolder(settings);
  try {
    const keys = givenOrStoredKeys(settings);
    await requireKey(source, keys, "put it into the data folder, or set POSTRIDER_SECRET_KEY");
    const target = await naming("--to", PostgresTarget.open({ url, schema, ids }));
    const ends = { to: placeOf(url, schema), url, settings };
    const moved = await naming("--to", run(source, target, ends));
    tell(flags, moved, [
      `Moved to ${placeOf(url, schema)}.`,
      ...renamedLines(moved),
      "Start every node with the same secret key:",
      `  ${serveCommand(settings, url)}`,
    ]);
  } finally {
    await source.release();
  }
}

async function moveToFolder(settings: Settings, url: string, flags: Flags): Promise<void> {
  const { databaseSchema: schema } = settings;
  const folder = resolve(settings.data);
  const source = await naming("--from", PostgresSource.open({ url, schema, clock }));
  try {
    const keys = settings.secretKey === undefined ? [] : givenOrStoredKeys(settings);
    await requireKey(source, keys, "set POSTRIDER_SECRET_KEY as for the nodes");
    const target = new SqliteTarget(databasePath(settings), ids);
    keepGivenKey(folder, settings.secretKey!, ids);
    const moved = await naming("--from", run(source, target, { to: folder, url, settings }));
    tell(flags, moved, [
      `Moved to ${folder}. The secret key is in it.`,
      ...renamedLines(moved),
      "Start one server:",
      `  postrider serve --data ${folder}`,
    ]);
  } finally {
    await source.release();
  }
}

interface MoveEnds {
  readonly to: string;
  readonly url: string;
  readonly settings: Settings;
}

async function run(
  source: MoveSource,
  target: MoveTarget,
  { to, url, settings }: MoveEnds,
): Promise<Moved> {
  try {
    return await moveStore(source, target, { to, clock, ids, tell: progress });
  } catch (error) {
    throw toFailure(error, url, databasePath(settings));
  } finally {
    progress("");
    await target.release();
  }
}

/** A move may end at any instant. */
function stop(): never {
  remark(`postrider: stopped by Ctrl-C\n  hint: ${GO_ON}`);
  process.exit(130);
}

/** A server is told to correct its `--database-url`; here another option names the database. */
async function naming<Value>(option: "--to" | "--from", work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replace("--database-url", option);
    throw error;
  }
}

/** A fault of a server or a disk, from which the move can continue. */
function toFailure(error: unknown, url: string, path: string): unknown {
  if (error instanceof StoreOpenError) return error;
  const cause = error instanceof OutcomeUnknown ? error.cause : error;
  const failure = [toPostgresError(cause, url), toSqliteError(cause, path)].find(
    (made) => made instanceof StoreOpenError,
  );
  return failure === undefined ? error : new CommandError(failure.message, 1, GO_ON);
}

async function cancel(settings: Settings, from: string | undefined, flags: Flags): Promise<void> {
  const { databaseSchema: schema } = settings;
  const source =
    from === undefined
      ? openFolder(settings)
      : await naming("--from", PostgresSource.open({ url: from, schema, clock }));
  try {
    const mark = await source.mark();
    if (mark?.isMoved === true) throw new CommandError(`the data was moved to ${mark.to}`);
    await source.cancel();
    const rest = mark === null ? [] : [`Remove by hand what has been copied to ${mark.to}.`];
    tell(flags, { canceled: mark !== null }, ["No move is under way.", ...rest]);
  } finally {
    await source.release();
  }
}

function openFolder(settings: Settings): SqliteSource {
  const path = databasePath(settings);
  if (existsSync(path)) return new SqliteSource(path, clock);
  const moved = existsSync(resolve(settings.data)) ? movedFrom(path) : null;
  throw new CommandError(
    moved === null ? `there is no database at ${path}` : `the data was moved; it is in ${moved}`,
    5,
    moved === null ? NAME_THE_FOLDER : "start on the store that it was moved to",
  );
}

/** With another key no delivery could be signed at the new place, to which one key goes along. */
async function requireKey(
  source: MoveSource,
  [secretKey, nextKey]: readonly string[],
  hint: string,
): Promise<void> {
  if (!secretKey) throw new CommandError("the secret key of the server is missing", 1, hint);
  const mark = await source.secretKey();
  if (nextKey !== undefined || mark?.previousId !== undefined) {
    const end =
      "end that first: postrider secret rotate, then remove POSTRIDER_PREVIOUS_SECRET_KEY";
    throw new CommandError("the secret key is being rotated", 1, end);
  }
  const row = await source.firstAccount();
  if (row !== undefined) requireOpens(createSecretBox(secretKey, ids), toAccountRecord(row));
}

function renamedLines({ renamedTo }: Moved): string[] {
  return renamedTo === null
    ? [
        "The old store takes no writes, but keeps its name: stop its server, or let this user rename it.",
      ]
    : [`The old store is kept as ${renamedTo}; remove it when you no longer need it.`];
}

function placeOf(url: string, schema: string): string {
  const { host, database } = serverOf(url);
  return `PostgreSQL at ${host}, database ${database}, schema ${schema}`;
}

/** The command that starts on PostgreSQL, without the password. */
function serveCommand({ secretKey, data, databaseSchema }: Settings, url: string): string {
  const key = secretKey === undefined ? `"$(cat ${join(resolve(data), KEY_FILE)})"` : "...";
  const isDefault = databaseSchema === SETTINGS.databaseSchema.defaults.serve;
  const schema = isDefault ? "" : ` --database-schema ${databaseSchema}`;
  return `POSTRIDER_SECRET_KEY=${key} postrider serve --database-url ${withoutPassword(url).url}${schema}`;
}

const GO_ON =
  "the server goes on as before; run the same command again, it goes on where it was, or forget the move with --cancel";
