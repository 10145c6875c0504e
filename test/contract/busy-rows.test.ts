/** Several nodes on one PostgreSQL: a claim skips rows that another transaction has locked. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "pg";

import { queueLine } from "../../src/core/model/line/line.ts";
import { LINES_NAMED } from "../../src/core/rules/line/turns.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { aPublish, aSettlement } from "../support/messages.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { Scene } from "./scene.ts";

const skip = postgresMissing();
const at = (host: string): { url: string } => ({ url: `https://${host}.test/` });

test("a line that another claim is serving is left to it", { skip }, () =>
  withBusyClient(async (scene, busy) => {
    await scene.publish("busy", at("busy"));
    await scene.publish("free", at("free"));
    await busy.query("SELECT 1 FROM lines WHERE line = 'h:busy.test' FOR UPDATE");
    assert.deepEqual(await scene.claimIds(), ["free"]);
    await busy.query("ROLLBACK");
    assert.deepEqual(await scene.claimIds(), ["busy"]);
  }),
);

test("of many lines a claim takes those that no other one is serving", { skip }, () =>
  withBusyClient(async (scene, busy) => {
    const names = Array.from({ length: 2 * LINES_NAMED }, (_, index) => `host-${index}`);
    await scene.act(aPublish(scene.now, ...names.map((name) => scene.item(name, at(name)))));
    await busy.query("SELECT 1 FROM lines WHERE line <> 'h:host-200.test' FOR UPDATE");
    assert.deepEqual(await scene.claimIds(), ["host-200"]);
  }),
);

test("a message that another transaction is canceling is left alone", { skip }, () =>
  withBusyClient(async (scene, busy) => {
    await scene.publishAll(["busy", "free"]);
    await busy.query("SELECT 1 FROM messages WHERE message_id = 'busy' FOR UPDATE");
    assert.deepEqual(await scene.claimIds(), ["free"]);
    await busy.query("ROLLBACK");
    scene.clock.advance(100);
    assert.deepEqual(await scene.claimIds(), ["busy"]);
  }),
);

test("a queue stops at its first message that another transaction has locked", { skip }, () =>
  withBusyClient(async (scene, busy) => {
    await scene.limit(queueLine("queue"), { parallelism: 3 });
    await scene.publishAll(["first", "busy", "third"], { queueName: "queue" });
    await busy.query("SELECT 1 FROM messages WHERE message_id = 'busy' FOR UPDATE");
    assert.deepEqual(await scene.claimIds(), ["first"]);
    await busy.query("ROLLBACK");
    scene.clock.advance(100);
    assert.deepEqual(await scene.claimIds(), ["busy", "third"]);
  }),
);

test("settlements leave their queue to a claim while its next message is locked", { skip }, () =>
  withBusyClient(async (scene, busy) => {
    await scene.limit(queueLine("queue"), { parallelism: 2 });
    await scene.publishAll(["first", "second", "busy", "fourth"], { queueName: "queue" });
    const leased = await scene.claim();
    await busy.query("SELECT 1 FROM messages WHERE message_id = 'busy' FOR UPDATE");
    const answers = leased.map((each) => {
      const settlement = aSettlement(each, { at: scene.now, verdict: { kind: "delivered" } });
      const room = { nodeId: "node", leasedAt: scene.now, host: each.host, bytesMax: 1_000 };
      const next = { queue: queueLine("queue"), ...room };
      return scene.act({ ...settlement, next });
    });
    assert.deepEqual(await Promise.all(answers), ["settled", "settled"]);
    await busy.query("ROLLBACK");
    assert.deepEqual(await scene.claimIds(), ["busy", "fourth"]);
  }),
);

test("queues go on while another claim is serving the host that they lead to", { skip }, () =>
  withBusyClient(async (scene, busy) => {
    await scene.publishAll(["a", "b"], { queueName: "queue" });
    await scene.deliver(await scene.claimOne());
    await busy.query("INSERT INTO lines (account_id, line) VALUES ('account', 'h:example.test')");
    assert.deepEqual(await scene.claimIds(), ["b"]);
  }),
);

test("a take-over passes by what is being settled", { skip }, () =>
  withBusyClient(async (scene, busy) => {
    await scene.publishAll(["busy", "free"], { leasedBy: "gone" });
    await busy.query("SELECT 1 FROM messages WHERE message_id = 'busy' FOR UPDATE");
    assert.equal((await scene.takeOver()).waiting, 1);
    assert.equal(await scene.phase("busy"), "active");
  }),
);

/** The client is in a transaction; what it locks stays locked until it ends that. */
async function withBusyClient(story: (scene: Scene, busy: Client) => Promise<void>): Promise<void> {
  const database = await freshDatabase();
  const { url } = database;
  const clock = new ManualClock();
  const store = await PostgresStore.open({ url, clock, time: "given" });
  const busy = new Client({ connectionString: url });
  await busy.connect();
  try {
    await busy.query("BEGIN");
    await story(new Scene(store, clock), busy);
  } finally {
    await busy.end();
    await store.close();
    await database.drop();
  }
}
