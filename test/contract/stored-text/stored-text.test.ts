/**
 * The text in which messages, runs, waiters and schedules are stored. Nodes of this version and of
 * the one before it share a database, so each reads what the other has written. `texts.json` holds
 * what commit 4d5d2a7 wrote for the same calls.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import type { LeasedMessage, Store } from "../../../src/store/store.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { START_AT } from "../../support/messages.ts";
import { freshDatabase, postgresMissing } from "../../support/postgres-url.ts";
import { aNotify, refOf } from "../../support/runs.ts";
import { scheduleKey } from "../../support/schedules.ts";
import { Scene } from "../scene.ts";
import { playSettings } from "./play.ts";
import {
  type Database,
  postgresDatabase,
  replaceTexts,
  sqliteDatabase,
  type StoredTexts,
  storedTexts,
} from "./texts.ts";

const BEFORE = JSON.parse(
  readFileSync(new URL("texts.json", import.meta.url), "utf8"),
) as StoredTexts;

/** Members that came since, which the version before passes over. */
const ADDED = { "run_facts resumed": { rerunOf: { runId: "failing", createdAt: START_AT } } };

interface Opened {
  readonly database: Database;
  open(clock: ManualClock): Promise<Store>;
  remove(): Promise<void>;
}

const DRIVERS: readonly [name: string, skip: string | false, () => Promise<Opened>][] = [
  ["SQLite", false, inFile],
  ["PostgreSQL", postgresMissing(), inPostgres],
];

for (const [name, skip, prepare] of DRIVERS) {
  test(`${name}: what is written is what the version before wrote`, { skip }, async (t) => {
    const prepared = await prepare();
    t.after(() => prepared.remove());
    await played(prepared);
    const written = await storedTexts(prepared.database);
    const before = parsed(BEFORE);
    const added = Object.entries(ADDED).map(([key, members]) => [
      key,
      { ...(before[key] as object), ...members },
    ]);
    assert.deepEqual(parsed(written), { ...before, ...Object.fromEntries(added) });
  });

  test(`${name}: what the version before wrote is read and delivered`, { skip }, async (t) => {
    const [now, before] = [await prepare(), await prepare()];
    t.after(() => Promise.all([now.remove(), before.remove()]));
    await played(now);
    await played(before);
    await replaceTexts(before.database, BEFORE);
    const expected = await continued(now);
    assert.deepEqual(await continued(before), expected);
    const { labels, flowControl } = expected.claimed[0]!.message.settings;
    assert.deepEqual([labels, flowControl?.key], [["red", "blue"], "Callback-key"]);
  });
}

async function played(prepared: Opened): Promise<void> {
  const clock = new ManualClock(START_AT);
  const store = await prepared.open(clock);
  await playSettings(new Scene(store, clock));
  await store.close();
}

/** Opens the store again, reads what is there and delivers what is due. */
async function continued(prepared: Opened) {
  const clock = new ManualClock(START_AT + 120_000);
  const store = await prepared.open(clock);
  const scene = new Scene(store, clock);
  const claimed = (await scene.claim()).toSorted(byId);
  for (const leased of claimed) await scene.deliver(leased);
  await scene.act(aNotify(scene.now, "event", { refs: [refOf("parent")] }));
  const notified = (await scene.claim()).toSorted(byId);
  const schedule = await store.reader.schedules.get(scheduleKey("schedule"));
  const run = await store.reader.runs.get(refOf("child"));
  await store.close();
  assert.ok(claimed.length > 3 && notified.length > 0);
  return { claimed, notified, schedule, run };
}

function onFatal(error: Error): never {
  throw error;
}

function byId(one: LeasedMessage, other: LeasedMessage): number {
  return one.lease.messageId < other.lease.messageId ? -1 : 1;
}

function parsed(texts: StoredTexts): Record<string, unknown> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, JSON.parse(text)]));
}

function inFile(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-stored-text-"));
  const path = join(folder, "data.db");
  return Promise.resolve({
    database: sqliteDatabase(path),
    open: (clock) => SqliteStore.open({ path, clock, onFatal }),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true })),
  });
}

async function inPostgres(): Promise<Opened> {
  const fresh = await freshDatabase();
  const { url } = fresh;
  return {
    database: postgresDatabase(url),
    open: (clock) => PostgresStore.open({ url, clock, time: "given" }),
    remove: () => fresh.drop(),
  };
}
