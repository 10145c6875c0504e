/**
 * A few of the points at which the rows of `npm run prove` that begin with "crash" let a service or an endpoint die in
 * the middle of a run.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { type FreshDatabase, freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { generator } from "../support/random-workflows.ts";
import { EndpointStage } from "./endpoint.ts";
import { SDKS } from "./endpoint-process.ts";
import { MOMENTS } from "./failpoint.ts";
import { at } from "./points.ts";
import { PostgresStage } from "./postgres.ts";
import { playRevival, WAYS } from "./revival.ts";
import { SqliteStage } from "./sqlite.ts";

const SEED = Number(process.env["CRASH_SEED"] ?? 1);
const random = generator(SEED);
/** One of the numbers from 1 to that one. */
const upTo = (last: number): number => 1 + Math.floor(random() * last);
const oneOf = <Item>(items: readonly Item[]): Item => items[upTo(items.length) - 1]!;

/** So many every run of the workflow has, whatever comes together in one transaction. */
const CHANGES = 40;
const REQUESTS = 25;

describe(`when the service on SQLite dies, seed ${SEED}`, () => {
  let stage: SqliteStage;
  before(async () => {
    stage = await SqliteStage.open();
  });
  after(() => stage.close());

  for (const sdk of SDKS) {
    test(`a run of ${sdk} goes on`, async () => {
      const drawn = upTo(CHANGES);
      for (const [moment, change] of [
        ["after", 1],
        ["before", drawn],
        ["after", drawn],
      ] as const) {
        const play = () => stage.play(sdk, { at: change, moment });
        assert.equal(await at({ sdk, moment, change }, play), 1);
      }
    });
  }

  test("a run goes on although it dies again while it recovers", async () => {
    const [sdk, change, again] = [oneOf(SDKS), upTo(CHANGES), upTo(3)];
    const play = () =>
      stage.play(sdk, { at: change, moment: "after" }, { at: again, moment: "before" });
    assert.equal(await at({ sdk, change, again }, play), 2);
  });

  test("a run that had failed is taken up once", async () => {
    for (const [moment, change] of [["after", 1] as const, [oneOf(MOMENTS), upTo(5)] as const]) {
      const what = { sdk: oneOf(SDKS), part: "reviving", way: oneOf(WAYS) } as const;
      const play = () => playRevival(what, stage, { at: change, moment });
      assert.equal(await at({ ...what, moment, change }, play), 1);
    }
  });
});

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

describe(`when the endpoint dies, seed ${SEED}`, () => {
  let stage: EndpointStage;
  before(async () => {
    stage = await EndpointStage.open();
  });
  after(() => stage.close());

  for (const moment of ["received", "submitted", "answered"] as const) {
    test(`having ${moment}, a run goes on once it is there again`, async () => {
      const [sdk, request] = [oneOf(SDKS), upTo(REQUESTS)];
      const play = () => stage.play(sdk, { at: request, moment });
      assert.equal(await at({ sdk, moment, request }, play), 1);
    });
  }
});
