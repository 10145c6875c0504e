/** Stores to move in tests, and what moves them. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/platform/clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import { type Moved, moveStore } from "../../src/store/move/move.ts";
import type { MoveTarget } from "../../src/store/move/move-ends.ts";
import { PostgresSource } from "../../src/store/postgres/move/source.ts";
import { PostgresTarget } from "../../src/store/postgres/move/target.ts";
import { SqliteSource } from "../../src/store/sqlite/move/source.ts";
import { SqliteTarget } from "../../src/store/sqlite/move/target.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { startKeptThreads } from "../support/kept-threads.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { aPublish, START_AT } from "../support/messages.ts";
import { aNotify } from "../support/runs.ts";
import { type FreshDatabase, freshDatabase, withClient } from "../support/postgres-url.ts";
import { fillAccount } from "./full-account.ts";
import { Scene } from "./scene.ts";

export const schema = "postrider";
export const ids = createIds();
export const clock = systemClock;
const folders: string[] = [];
const databases: FreshDatabase[] = [];

export async function removeAll(): Promise<void> {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  for (const database of databases) await database.drop();
}

export async function inPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return (await withClient(url, (client) => client.query<Record<string, unknown>>(sql))).rows;
}

export async function lastNumber(url: string): Promise<number> {
  const [row] = await inPostgres(url, "SELECT max(number) AS number FROM log_entries");
  return Number(row?.["number"]);
}

export function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "postrider-move-"));
  folders.push(folder);
  return join(folder, "postrider.db");
}

export async function newDatabase(): Promise<FreshDatabase> {
  const database = await freshDatabase();
  databases.push(database);
  return database;
}

export function open(path: string, time = new ManualClock(START_AT)): Promise<SqliteStore> {
  const startThreads = startKeptThreads;
  return SqliteStore.open({ path, clock: time, onFatal, startThreads });
}

/** Two accounts with something of everything; `work` runs while the store is open. */
export async function filled(path: string, work: (scene: Scene) => Promise<void>): Promise<void> {
  const time = new ManualClock(START_AT);
  const store = await open(path, time);
  try {
    const scene = new Scene(store, time);
    for (const accountId of ["first", "second"]) await fillAccount(scene, accountId, 2);
    const deduplication = { key: "once", expiresAt: scene.now + 1_000 };
    const wish = { accountId: "first", delayMs: 1_000 };
    await scene.act(aPublish(scene.now, scene.item("deduplicated", wish, deduplication)));
    const refs = [{ accountId: "first", runId: "run" }];
    await scene.act(aNotify(scene.now, "early", { refs }));
    // A beat a second later counts the day.
    scene.clock.advance(2_000);
    await store.beat("node");
    await store.leave("node");
    await work(scene);
  } finally {
    await store.close();
  }
}

/** A file that is filled and closed. */
export async function newFilled(): Promise<string> {
  const path = newPath();
  await filled(path, async () => undefined);
  return path;
}

export function optionsFor(to: string) {
  return { to, clock, ids, tell: () => undefined };
}

export function sqliteSource(path: string): SqliteSource {
  return new SqliteSource(path, clock);
}

export function postgresSource(url: string, from = schema): Promise<PostgresSource> {
  return PostgresSource.open({ url, schema: from, clock });
}

export function sqliteTarget(path: string): SqliteTarget {
  return new SqliteTarget(path, ids);
}

export function postgresTarget(url: string, into = schema): Promise<PostgresTarget> {
  return PostgresTarget.open({ url, schema: into, ids });
}

export async function toPostgres(path: string, url: string, into = schema): Promise<Moved> {
  const [source, target] = [sqliteSource(path), await postgresTarget(url, into)];
  try {
    return await moveStore(source, target, optionsFor("there"));
  } finally {
    await source.release();
    await target.release();
  }
}

export async function toSqlite(url: string, path: string, from = schema): Promise<Moved> {
  const [source, target] = [await postgresSource(url, from), sqliteTarget(path)];
  try {
    return await moveStore(source, target, optionsFor("here"));
  } finally {
    await source.release();
    await target.release();
  }
}

export function bound(target: MoveTarget): MoveTarget {
  return {
    held: () => target.held(),
    prepare: (progress) => target.prepare(progress),
    take: () => target.take(),
    catalog: () => target.catalog(),
    write: (written, progress) => target.write(written, progress),
    counts: (tables) => target.counts(tables),
    complete: (numbers, progress) => target.complete(numbers, progress),
    open: () => target.open(),
    release: () => target.release(),
  };
}

/** A target that after so many writes lets something else happen, once. */
export function beforeWrite(
  target: MoveTarget,
  writes: number,
  happen: () => Promise<unknown>,
): MoveTarget {
  let left = writes;
  const write: MoveTarget["write"] = async (written, progress) => {
    if (left-- === 0) await happen();
    await target.write(written, progress);
  };
  return { ...bound(target), write };
}

/** A target whose process dies after so many writes. */
export function killedAfter(target: MoveTarget, writes: number): MoveTarget {
  return beforeWrite(target, writes, () => Promise.reject(new Error("killed")));
}

export function createdBy(path: string, accountId: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const sql = "SELECT count(*) AS n FROM log_entries WHERE account_id = ? AND state = 'CREATED'";
  const row = database.prepare(sql).get(accountId);
  database.close();
  return Number(row?.["n"]);
}

export function triggersIn(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const sql = "SELECT name FROM sqlite_schema WHERE name LIKE 'move%'";
  const names = database.prepare(sql).all();
  database.close();
  assert.ok(readdirSync(join(path, "..")).length > 0);
  return names.map(({ name }) => String(name));
}

function onFatal(error: Error): never {
  throw error;
}
