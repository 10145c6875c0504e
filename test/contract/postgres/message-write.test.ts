/** A group leaves out what it does not have; what is stored of a message is the same in any group. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "pg";

import type { Act } from "../../../src/core/rules/registry.ts";
import { aLeasedMessage, aPublish, aSettlement, type MessageWish } from "../../support/messages.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import type { Scene } from "../scene.ts";
import { openCluster } from "./cluster.ts";

const KINDS: Readonly<Record<string, MessageWish>> = {
  delivered: { leasedBy: "node" },
  retried: { leasedBy: "node" },
  waiting: {},
  queued: { queueName: "queue" },
  "queued under a key": { queueName: "queue", flowControl: { key: "key", periodMs: 1_000 } },
  "about another": { sourceId: "source" },
};

/** What is stored of some of them and not of most, by table. */
const UNUSUAL = {
  facts: ['"source_id":"source"'],
  messages: ['"root_id":"queued"', '"hasPosition":true', '"line_after":"k:key"', '"attempts":1'],
  log_entries: ['"error":"reset"', '"next_at":'],
};

test("alone and among others", { skip: postgresMissing() }, async () => {
  const cluster = await openCluster(1);
  const client = new Client({ connectionString: cluster.url });
  try {
    await client.connect();
    const [scene] = cluster.scenes as [Scene];
    const [published, settled] = [publishesOf(scene, "alone"), settlementsOf(scene, "alone")];
    for (const act of [...published, ...settled]) await scene.act(act);
    for (const acts of [publishesOf(scene, "together"), settlementsOf(scene, "together")]) {
      await Promise.all(acts.map((act) => scene.act(act)));
    }
    assert.equal(await transactionsOf(client, "alone"), published.length + settled.length);
    assert.equal(await transactionsOf(client, "together"), 2);
    for (const [table, parts] of Object.entries(UNUSUAL)) {
      const alone = await storedOf(client, table, "alone");
      for (const part of parts) assert.ok(JSON.stringify(alone).includes(part), part);
      assert.deepEqual(await storedOf(client, table, "together"), alone, table);
    }
  } finally {
    await client.end();
    await cluster.close();
  }
});

function publishesOf(scene: Scene, group: string): Act[] {
  return Object.entries(KINDS).map(([kind, wish]) =>
    aPublish(scene.now, scene.item(`${group} ${kind}`, wish)),
  );
}

function settlementsOf(scene: Scene, group: string): Act[] {
  const [at, readyAt] = [scene.now, scene.now + 1_000];
  const leased = (kind: string) => aLeasedMessage({ messageId: `${group} ${kind}` });
  return [
    aSettlement(leased("delivered"), { at, verdict: { kind: "delivered" } }),
    aSettlement(leased("retried"), {
      at,
      verdict: { kind: "retry", readyAt },
      attempt: { error: "reset" },
    }),
  ];
}

async function transactionsOf(client: Client, group: string): Promise<number> {
  const { rows } = await client.query(
    "SELECT count(DISTINCT xmin::text)::int AS count FROM log_entries WHERE message_id LIKE $1",
    [`${group} %`],
  );
  return rows[0].count;
}

/** Rows by message, without what the server draws and the name of the group. */
async function storedOf(client: Client, table: string, group: string): Promise<object[]> {
  const { rows } = await client.query(
    `SELECT to_jsonb(t) AS row FROM ${table} t WHERE message_id LIKE $1 ORDER BY t`,
    [`${group} %`],
  );
  return rows.map(({ row: { number: _number, position, ...row } }) => {
    const text = JSON.stringify({ ...row, hasPosition: typeof position === "number" });
    return JSON.parse(text.replaceAll(`${group} `, "")) as object;
  });
}
