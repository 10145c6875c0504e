/** What a run comes to when one of two nodes on PostgreSQL dies in the middle of it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type FreshDatabase, freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { SDKS } from "./endpoint-process.ts";
import { MOMENTS } from "./failpoint.ts";
import { at } from "./points.ts";
import { PostgresStage } from "./postgres.ts";
import { CHANGES, oneOf, SEED, upTo } from "./sample.ts";

describe(`when one of two nodes dies, seed ${SEED}`, { skip: postgresMissing() }, () => {
  let database: FreshDatabase;
  let stage: PostgresStage;
  before(async () => {
    database = await freshDatabase();
    stage = await PostgresStage.open(database.url);
  });
  after(async () => {
    await stage.close();
    await database.drop();
  });

  test("a run goes on with the other", async () => {
    for (const [moment, change] of [
      ["after", 1],
      [oneOf(MOMENTS), upTo(CHANGES)],
    ] as const) {
      const sdk = oneOf(SDKS);
      const play = () => stage.play(sdk, { at: change, moment }, "asleep");
      assert.equal(await at({ sdk, moment, change }, play), 1);
    }
  });
});
