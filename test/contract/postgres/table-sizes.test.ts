/**
 * The server may have counted the rows of a table in a moment in which there were none. What it plans
 * by that is bearable for as long as there are few.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";

import type { Client } from "pg";

import { aPublish } from "../../support/messages.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import { eventually } from "../../support/service-harness.ts";
import { hurry } from "../hurry.ts";
import type { Scene } from "../scene.ts";
import { type MeasuredStore, withMeasuredStore } from "./measured-store.ts";

/** A plan is kept from the sixth time on. */
const PLANNED_AFTER = 8;
const CROWD = 3_000;
const ACT_ITEMS = 1_000;
/** Reading all messages takes more. */
const PAGES_MAX = 500;
const MAYBE = { skip: postgresMissing() };

/** What makes a node ask how large tables are. */
type Reminder = (measured: MeasuredStore) => Promise<unknown>;

test("what the server took for empty is counted with a heartbeat", MAYBE, () =>
  isCountedAgain(({ scene }) => scene.store.beat("node")),
);

test("what the server took for empty is counted when a group takes long", MAYBE, () =>
  isCountedAgain(async ({ scene, clock }) => {
    const published = scene.publish(`slow-${performance.now()}`, { delayMs: 1_000_000_000 });
    await setImmediate();
    clock.advance(1_000);
    await published;
  }),
);

function isCountedAgain(remind: Reminder): Promise<void> {
  return withMeasuredStore(async (measured) => {
    const { scene, client } = measured;
    await rememberEmptyMoment(client);
    await scene.addAccount("account");
    await pagesOfDeliveries(scene, client, "early");
    await crowd(scene);
    const misled = await pagesOfDeliveries(scene, client, "misled");
    assert.ok(misled > PAGES_MAX, `${misled} pages: the figures do not matter`);
    await eventually(async () => {
      // A connection tells of what it has written when it writes again.
      await pagesOfDeliveries(scene, client, `waiting-${performance.now()}`);
      await remind(measured);
      return (await believed(client, "messages")).rows >= CROWD || null;
    }, "messages are counted again");
    const corrected = await pagesOfDeliveries(scene, client, "corrected");
    assert.ok(corrected < PAGES_MAX, `${corrected} pages, and ${misled} before`);
    assert.deepEqual(await believed(client, "topics"), EMPTY, "what is empty is left alone");
  });
}

/** Rows have come and gone, and left their pages behind. */
const EMPTY = { rows: 0, pages: 1_000 };

async function rememberEmptyMoment(client: Client): Promise<void> {
  await client.query(
    `UPDATE pg_class SET reltuples = $1, relpages = $2
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    [EMPTY.rows, EMPTY.pages],
  );
}

/** What the server knows of a table. */
async function believed(client: Client, table: string): Promise<typeof EMPTY> {
  const { rows } = await client.query<typeof EMPTY>(
    "SELECT reltuples AS rows, relpages AS pages FROM pg_class WHERE oid = $1::regclass",
    [table],
  );
  return rows[0]!;
}

/** How many pages the statement reads that writes messages, each time. */
async function pagesOfDeliveries(scene: Scene, client: Client, name: string): Promise<number> {
  await client.query("SELECT pg_stat_statements_reset()");
  for (let place = 0; place < PLANNED_AFTER; place++) {
    const leased = await hurry(scene, `${name}-${place}`, {});
    await scene.deliver(leased!);
  }
  const { rows } = await client.query<{ pages: number }>(
    `SELECT ((shared_blks_hit + shared_blks_read) / calls)::int AS pages
     FROM pg_stat_statements WHERE query LIKE 'WITH new_facts AS%'`,
  );
  return rows[0]!.pages;
}

/** Thousands that wait. */
async function crowd(scene: Scene): Promise<void> {
  for (let done = 0; done < CROWD; done += ACT_ITEMS) {
    const items = Array.from({ length: ACT_ITEMS }, (_, place) =>
      scene.item(`crowd-${done + place}`, { delayMs: 1_000_000_000 }),
    );
    await scene.act(aPublish(scene.now, ...items));
  }
}
