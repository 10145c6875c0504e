/** A store with something of everything, moved from SQLite to PostgreSQL and back. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { moveStore } from "../../src/store/move/move.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { PIECES_PROGRAM } from "../../src/store/schema.ts";
import { schemaInfo } from "../../src/store/sqlite/upkeep/migrate.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { START_AT } from "../support/messages.ts";
import { postgresMissing, withClient } from "../support/postgres-url.ts";
import { postgresDigests, sqliteDigests } from "../support/store-digests.ts";
import { fillAccount } from "./full-account.ts";
import {
  bound,
  clock,
  createdBy,
  filled,
  inPostgres,
  killedAfter,
  lastNumber,
  newDatabase,
  newPath,
  open,
  optionsFor,
  postgresTarget,
  removeAll,
  schema,
  sqliteSource,
  toPostgres,
  toSqlite,
  triggersIn,
} from "./moved-stores.ts";
import { Scene } from "./scene.ts";

describe("moves", { skip: postgresMissing() }, () => {
  after(async () => {
    await removeAll();
  });

  test("every row arrives, and comes back", async () => {
    const path = newPath();
    await filled(path, async () => undefined);
    const before = sqliteDigests(path);
    assert.deepEqual(
      Object.entries(before).filter(([, { rows }]) => rows === 0),
      [],
      "every table has rows",
    );
    const { url } = await newDatabase();
    const { renamedTo, rows } = await toPostgres(path, url);
    assert.ok(rows > 50);
    assert.ok(!existsSync(path));
    assert.deepEqual(sqliteDigests(renamedTo!), before, "the old store is as it was");
    assert.deepEqual(await postgresDigests(url), before);

    assert.equal(await oldestProgramAt(url), PIECES_PROGRAM, "it holds a body in pieces");

    const again = newPath();
    const back = await toSqlite(url, again);
    assert.match(back.renamedTo!, /^postrider_moved_\d{14}$/);
    assert.deepEqual(sqliteDigests(again), before);
    await assert.rejects(open(path), /was moved to another store/);
    await assert.rejects(PostgresStore.open({ url, schema, clock }), /was moved from here/);

    const { oldestProgram } = schemaInfo(new DatabaseSync(again, { readOnly: true }));
    assert.equal(oldestProgram, PIECES_PROGRAM);

    // The schema that was left can be moved into again.
    await toPostgres(again, url);
    assert.deepEqual(await postgresDigests(url), before);
  });

  test("what is drawn at the new place is newer than what has come", async () => {
    const path = newPath();
    await filled(path, async () => undefined);
    const { url } = await newDatabase();
    await toPostgres(path, url);
    const last = await lastNumber(url);
    const manual = new ManualClock(START_AT + 1_000);
    const store = await PostgresStore.open({ url, schema, clock: manual, time: "given" });
    await fillAccount(new Scene(store, manual), "third", 1);
    await store.close();
    const [first] = await inPostgres(
      url,
      "SELECT min(number) AS number FROM log_entries WHERE account_id = 'third'",
    );
    assert.ok(Number(first?.["number"]) > last + 1);

    const again = newPath();
    await toSqlite(url, again);
    const reopened = await open(again, manual);
    const scene = new Scene(reopened, manual);
    await fillAccount(scene, "fourth", 1);
    const day = Math.floor(manual.now() / 86_400_000);
    for (const accountId of ["first", "third", "fourth"]) {
      const [count] = await reopened.reader.accounts.dailyCounts(accountId, day);
      assert.equal(count?.messages, createdBy(again, accountId), accountId);
    }
    await reopened.close();
  });

  test("a move that is killed after each of its writes goes on, while the source changes", async () => {
    const path = newPath();
    const { url } = await newDatabase();
    let runs = 0;
    await filled(path, async (scene) => {
      for (let isWhole = false; !isWhole; runs++) {
        await scene.publish(`meanwhile-${runs}`, { accountId: "first" });
        const source = sqliteSource(path);
        const target = await postgresTarget(url);
        const killed = killedAfter(target, 2 + 3 * runs);
        const moving = moveStore(source, { ...killed, complete: dieAtEnd }, optionsFor("there"));
        const { message } = await moving.then(
          () => assert.fail("not killed"),
          (error: Error) => error,
        );
        assert.match(message, /^killed/);
        isWhole = message === "killed at the end";
        await source.release();
        await target.release();
      }
    });
    assert.ok(runs > 5, `${runs} runs`);
    const { renamedTo } = await toPostgres(path, url);
    assert.deepEqual(await postgresDigests(url), sqliteDigests(renamedTo!));
  });

  test("what is not empty, or of another move, is refused and left as it is", async () => {
    const [path, other] = [newPath(), newPath()];
    await filled(path, async () => undefined);
    await filled(other, async () => undefined);
    const { url } = await newDatabase();
    const target = await postgresTarget(url);
    const source = sqliteSource(path);
    await assert.rejects(moveStore(source, killedAfter(target, 4), optionsFor("there")), /killed/);
    await source.release();
    await assert.rejects(toPostgres(other, url), /unfinished move of another store/);
    const { url: elsewhere } = await newDatabase();
    await assert.rejects(toPostgres(path, elsewhere), /a move to there has begun and not ended/);
    await assert.rejects(PostgresStore.open({ url, schema, clock }), /target of a move/);
    await target.release();

    const canceled = sqliteSource(path);
    await canceled.cancel();
    await canceled.release();
    assert.deepEqual(triggersIn(path), []);
    await toPostgres(path, elsewhere);
    await assert.rejects(toPostgres(other, elsewhere), /is not empty/);
    const folder = newPath();
    await filled(folder, async () => undefined);
    await assert.rejects(toSqlite(elsewhere, folder), /is not empty/);
  });

  test("bodies of many megabytes are moved one by one", async () => {
    const path = newPath();
    await filled(path, async (scene) => {
      for (const size of [5, 9, 1]) {
        const body = new Uint8Array(size * 1_000_000).fill(size);
        await scene.publish(`large-${size}`, { accountId: "first", body });
      }
    });
    const { url } = await newDatabase();
    const { renamedTo } = await toPostgres(path, url);
    const again = newPath();
    await toSqlite(url, again);
    assert.deepEqual(sqliteDigests(again), sqliteDigests(renamedTo!));
  });

  test("a store of another layout is refused", async () => {
    const path = newPath();
    await filled(path, async () => undefined);
    const database = new DatabaseSync(path);
    database.exec("UPDATE schema_info SET version = version - 1");
    assert.throws(() => sqliteSource(path), /run postrider migrate/);
    database.exec("UPDATE schema_info SET version = version + 2");
    assert.throws(() => sqliteSource(path), /newer postrider/);
    database.close();
  });

  test("after a move nothing can be written to the old store", async () => {
    const path = newPath();
    const { url } = await newDatabase();
    await filled(path, async (scene) => {
      const source = sqliteSource(path);
      const target = await postgresTarget(url);
      const stopped = { ...bound(target), open: () => Promise.reject(new Error("killed")) };
      await assert.rejects(moveStore(source, stopped, optionsFor("there")), /killed/);
      await assert.rejects(scene.publish("late", { accountId: "first" }), /was moved; try again/);
      await source.release();
      await target.release();
    });
    const refused = SqliteStore.open({ path, clock, onFatal: assert.fail });
    await assert.rejects(refused, { message: /was moved from here/ });
    await toPostgres(path, url);
    assert.deepEqual(await inPostgres(url, "SELECT 1 FROM facts WHERE message_id = 'late'"), []);
  });
});

function dieAtEnd(): Promise<never> {
  return Promise.reject(new Error("killed at the end"));
}

async function oldestProgramAt(url: string): Promise<number> {
  const text = `SELECT oldest_program FROM ${schema}.schema_info`;
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ oldest_program: number }>(text);
    return rows[0]!.oldest_program;
  });
}
