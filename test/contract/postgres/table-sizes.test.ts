/**
 * The server may have counted the rows of a table in a moment in which there were none. Most statements
 * leave it no choice (kept-plans.test.ts); for the others it is to know better soon.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";

import type { Client } from "pg";

import { Connections } from "../../../src/store/postgres/driver/connection.ts";
import { TableSizes } from "../../../src/store/postgres/upkeep/table-sizes.ts";
import { aPublish } from "../../support/messages.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import { eventually } from "../../support/service-harness.ts";
import type { Scene } from "../scene.ts";
import { type MeasuredStore, withMeasuredStore } from "./measured-store.ts";

const CROWD = 3_000;
const ACT_ITEMS = 1_000;
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
    const { scene, client, url } = measured;
    await rememberEmptyMoment(client);
    await scene.addAccount("account");
    await crowd(scene);
    assert.deepEqual(await believed(client, "messages"), EMPTY);
    await eventually(async () => {
      // A connection tells of what it has written when it writes again.
      await scene.publish(`waiting-${performance.now()}`, { delayMs: 1_000_000_000 });
      await remind(measured);
      return (await believed(client, "messages")).rows >= CROWD || null;
    }, "messages are counted again");
    await renewWholly(url);
    assert.deepEqual(await believed(client, "url_groups"), EMPTY, "what is empty is left alone");
  });
}

async function renewWholly(url: string): Promise<void> {
  const connections = new Connections({ url, connectionsMax: 1 });
  await new TableSizes(connections).renew();
  await connections.close();
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

/** Thousands that wait. */
async function crowd(scene: Scene): Promise<void> {
  for (let done = 0; done < CROWD; done += ACT_ITEMS) {
    const items = Array.from({ length: ACT_ITEMS }, (_, index) =>
      scene.item(`crowd-${done + index}`, { delayMs: 1_000_000_000 }),
    );
    await scene.act(aPublish(scene.now, ...items));
  }
}
