/** Moves from PostgreSQL while nodes of it are dead or asleep. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Clock } from "../../src/platform/clock.ts";
import { type Moved, moveStore } from "../../src/store/move/move.ts";
import { PostgresSource } from "../../src/store/postgres/move/source.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { aPublish, aPublishItem } from "../support/messages.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import {
  clock,
  inPostgres,
  newDatabase,
  newFilled,
  newPath,
  open,
  optionsFor,
  removeAll,
  schema,
  sqliteTarget,
  toPostgres,
  toSqlite,
} from "./moved-stores.ts";

describe("moves of nodes", { skip: postgresMissing() }, () => {
  after(async () => {
    await removeAll();
  });

  test("a node that was killed or sleeps holds up a move for a while, and writes nothing after it", async () => {
    const [path, { url }] = [newPath(), await newDatabase()];
    await toPostgres(await newFilled(), url);
    const asleep = await PostgresStore.open({ url, schema, clock });
    await asleep.beat("asleep");
    const { rows } = await toSqliteInHaste(url, path);
    assert.ok(rows > 50);
    const [left] = await inPostgres(url, "SELECT node_id FROM nodes");
    assert.deepEqual(left, { node_id: "asleep" }, "the old store keeps its name while it may wake");
    const publish = aPublish(clock.now(), aPublishItem({ accountId: "first", messageId: "late" }));
    await assert.rejects(asleep.act(publish), /try again/);
    assert.equal((await asleep.upcoming(0)).move?.isMoved, true);
    await asleep.leave("asleep");
    assert.deepEqual(await inPostgres(url, "SELECT node_id FROM nodes"), []);
    await asleep.close();
    assert.match((await toSqliteInHaste(url, path)).renamedTo ?? "", /_moved_/);
    const store = await open(path);
    const request = { from: "others", nodeId: "new", ...store.clock.time() } as const;
    assert.ok((await store.takeOver(request)).waiting > 0, "what was under way is sent again");
    await store.close();
  });

  test("a node of PostgreSQL that was asleep is told that the data was moved", async () => {
    const [path, { url }] = [newPath(), await newDatabase()];
    await toPostgres(await newFilled(), url);
    const asleep = await PostgresStore.open({ url, schema, clock });
    await asleep.upcoming(0);
    const { renamedTo } = await toSqlite(url, path);
    assert.match(renamedTo ?? "", /_moved_/);
    assert.equal((await asleep.upcoming(0)).move?.isMoved, true);
    await asleep.close();
  });
});

/** Moves as if each look at the clock took half a second. */
async function toSqliteInHaste(url: string, path: string): Promise<Moved> {
  let at = 0;
  const hurried: Clock = {
    ...clock,
    monotonic: () => (at += 500),
    sleep: () => Promise.resolve(),
  };
  const source = await PostgresSource.open({ url, schema, clock: hurried });
  const target = sqliteTarget(path);
  try {
    return await moveStore(source, target, { ...optionsFor("here"), clock: hurried });
  } finally {
    await source.release();
    await target.release();
  }
}
