/** While an old snapshot is in use, what has ended stays in the indexes; claims begin behind it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "pg";

import { postgresMissing } from "../../support/postgres-url.ts";
import type { Scene } from "../scene.ts";
import { withMeasuredStore } from "./measured-store.ts";

const TOGETHER = 300;
const ROUNDS = 20;
/** Longer than a row may be committed after its own instant and still be found at once. */
const LATE_MS = 2_500;
/** How often a line is read from its start. */
const WHOLE_READ_MS = 1_000;

test("a claim does not read what has ended again and again", { skip: postgresMissing() }, () =>
  withMeasuredStore(async ({ scene, client, clock, url }) => {
    const old = new Client({ connectionString: url });
    await old.connect();
    try {
      await old.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await old.query("SELECT count(*) FROM messages");
      await pass(scene);
      clock.advance(LATE_MS);
      await claimPages(scene, client);
      clock.advance(WHOLE_READ_MS);
      const whole = await claimPages(scene, client);
      clock.advance(10);
      const later = await claimPages(scene, client);
      assert.ok(2 * later < whole, `${later} pages, from the start ${whole}`);
    } finally {
      await old.end();
    }
  }),
);

/** Thousands of messages pass a line in which others wait. */
async function pass(scene: Scene): Promise<void> {
  for (let round = -1; round < ROUNDS; round++) {
    const names = Array.from({ length: TOGETHER }, (_, index) => `${round}-${index}`);
    await scene.publishAll(names);
    scene.clock.advance(10);
    if (round < 0) continue;
    const leased = await scene.claim({ slots: TOGETHER });
    await Promise.all(leased.map((each) => scene.deliver(each)));
  }
}

async function claimPages(scene: Scene, client: Client): Promise<number> {
  await client.query("SELECT pg_stat_statements_reset()");
  assert.equal((await scene.claim({ slots: 5 })).length, 5);
  const { rows } = await client.query<{ pages: number }>(
    `SELECT sum(shared_blks_hit + shared_blks_read)::int AS pages
     FROM pg_stat_statements WHERE query !~ 'pg_stat'`,
  );
  return rows[0]!.pages;
}
