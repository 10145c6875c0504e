/** What only the store in a file promises: what it has answered is on the disk. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import type { DeadLetterKey } from "../../../src/core/model/message/dead-letter.ts";
import { PIECES_PROGRAM } from "../../../src/store/schema.ts";
import { schemaInfo } from "../../../src/store/sqlite/upkeep/migrate.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { threadReader } from "../../../src/store/sqlite/reads/reader.ts";
import { SqliteWriter } from "../../../src/store/sqlite/thread/writer.ts";
import type { PackedClaim } from "../../../src/store/sqlite/claim/packed-claim.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aPublish, aPublishItem } from "../../support/messages.ts";
import { Scene } from "../scene.ts";

const FULL = 2;
const CLAIM: PackedClaim = {
  nodeId: "node",
  now: 0,
  aheadMs: 0,
  slots: 1,
  retrySlots: 1,
  bytesMax: 1_000,
  fullHosts: [],
};

test("a group is committed before it is answered", (t) => {
  const path = fileFor(t);
  const writer = new SqliteWriter(path);
  const another = new DatabaseSync(path, { readOnly: true });
  const { results } = writer.group([aPublish(0, aPublishItem())], { now: 0, aheadMs: 0 });
  assert.equal(results[0]?.ok, true);
  assert.equal(another.prepare("SELECT count(*) AS n FROM messages").get()?.["n"], 1);
  another.close();
  writer.close();
});

test("an earlier program may open the file until a body is stored in pieces", (t) => {
  const writer = new SqliteWriter(fileFor(t));
  const time = { now: 0, aheadMs: 0 };
  const oldest = () => schemaInfo(writer.database).oldestProgram;
  writer.group([aPublish(0, aPublishItem({ leasedBy: "node" }))], time);
  assert.equal(oldest(), PIECES_PROGRAM - 1);
  const key = { accountId: "account", messageId: "message" };
  const piece = { ...key, attempt: 1, piece: 0, body: new Uint8Array(1) };
  writer.group([{ rule: "keep-piece", lease: { ...key, fence: 1 }, piece }], time);
  assert.equal(oldest(), PIECES_PROGRAM);
  writer.close();
});

test("every group waits for the disk, also after claims that did not", (t) => {
  const writer = new SqliteWriter(fileFor(t));
  const synchronous = () => writer.database.prepare("PRAGMA synchronous").get()?.["synchronous"];
  const journal = writer.database.prepare("PRAGMA journal_mode").get()?.["journal_mode"];
  assert.deepEqual([journal, synchronous()], ["wal", FULL]);
  writer.group([aPublish(0, aPublishItem())], { now: 0, aheadMs: 0 });
  assert.equal(synchronous(), FULL);
  writer.claim(CLAIM);
  assert.equal(synchronous(), FULL);
  assert.throws(() => writer.claim({ ...CLAIM, fullHosts: 7 as never }), TypeError);
  assert.equal(synchronous(), FULL);
  writer.close();
});

test("the counts of a day are exact when the service is killed before it has stored them", (t) => {
  const path = fileFor(t);
  const killed = new SqliteWriter(path);
  killed.group([aPublish(0, aPublishItem())], { now: 0, aheadMs: 0 });
  const second = aPublishItem({ messageId: "second" });
  killed.group([aPublish(500, second)], { now: 500, aheadMs: 0 });
  const stored = () =>
    killed.database.prepare("SELECT sum(messages) AS n FROM daily_counts").get()?.["n"];
  assert.equal(stored(), 1);
  // The writer is left as it is: nothing tells it to store what it knows.
  const next = new SqliteWriter(path);
  assert.deepEqual(messagesCounted(next.database), [2]);
  next.beat("node", { now: 2_000, aheadMs: 0 }, false);
  assert.deepEqual([stored(), messagesCounted(next.database)], [2, [2]]);
  next.close();
  killed.close();
});

test("a store that is opened again goes on where it was", async (t) => {
  const path = fileFor(t);
  const before = await open(path);
  const died = keyOf(await before.bury("dead"));
  for (const id of ["z", "y"]) await before.publish(id, { queueName: "queue" });
  const leased = await before.claimOne();
  await before.store.close();

  const after = await open(path);
  assert.equal((await after.deadLetters()).length, 1);
  assert.equal(await after.phase("z"), "active");
  await after.publish("x", { queueName: "queue" });
  assert.equal(await after.deliver(leased), "settled");
  const next = await after.claimOne();
  assert.equal(next.lease.messageId, "y");
  await after.kill(next);
  const [first, second] = await after.deadLetters();
  assert.deepEqual(keyOf(first!.deadLetter), died);
  assert.ok(second!.deadLetter.number > died.number);
  const order = (await after.logged()).map(({ entry }) => entry.messageId);
  assert.deepEqual([...new Set(order)], ["dead", "z", "y", "x"]);
  await after.store.close();
});

test("a second process is kept out, and told why", async (t) => {
  const path = fileFor(t);
  const first = await open(path);
  await assert.rejects(open(path), /another postrider is using this data/);
  await first.store.close();
  const second = await open(path);
  await second.store.close();
});

async function open(path: string): Promise<Scene> {
  const clock = new ManualClock();
  return new Scene(await SqliteStore.open({ path, clock, onFatal }), clock);
}

function onFatal(error: Error): never {
  throw error;
}

function messagesCounted(database: DatabaseSync): number[] {
  return threadReader(database)
    .accounts.dailyCounts("account", 0)
    .map(({ messages }) => messages);
}

function fileFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "postrider-durable-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "data.db");
}

function keyOf({ accountId, diedAt, number }: DeadLetterKey): DeadLetterKey {
  return { accountId, diedAt, number };
}
