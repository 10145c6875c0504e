/**
 * A few of the points at which the rows of `npm run prove` that begin with "crash" let a service or an endpoint die in
 * the middle of a run.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
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
const SQLITE_CHANGES = 40;
const NODE_CHANGES = 40;
const ENDPOINT_REQUESTS = 25;

test(`SQLite: runs survive the death of the service, seed ${SEED}`, async () => {
  const stage = await SqliteStage.open();
  try {
    for (const sdk of SDKS) {
      for (const moment of MOMENTS) {
        const change = upTo(SQLITE_CHANGES);
        const play = () => stage.play(sdk, { at: change, moment });
        assert.equal(await at({ sdk, moment, change }, play), 1);
      }
    }
  } finally {
    await stage.close();
  }
});

test(`SQLite: runs survive another death while it recovers, seed ${SEED}`, async () => {
  const stage = await SqliteStage.open();
  try {
    for (const sdk of SDKS) {
      const [change, again] = [upTo(SQLITE_CHANGES), upTo(3)];
      const play = () =>
        stage.play(sdk, { at: change, moment: "after" }, { at: again, moment: "before" });
      assert.equal(await at({ sdk, change, again }, play), 2);
    }
  } finally {
    await stage.close();
  }
});

test(`a run that failed is taken up once, seed ${SEED}`, async () => {
  const stage = await SqliteStage.open();
  try {
    for (const [sdk, change] of [["postrider", 1] as const, ["upstash", upTo(5)] as const]) {
      for (const moment of MOMENTS) {
        const what = { sdk, part: "reviving", way: oneOf(WAYS) } as const;
        const play = () => playRevival(what, stage, { at: change, moment });
        assert.equal(await at({ ...what, moment, change }, play), 1);
      }
    }
  } finally {
    await stage.close();
  }
});

test(
  `PostgreSQL: runs survive the death of a node without another start, seed ${SEED}`,
  { skip: postgresMissing() },
  async () => {
    const database = await freshDatabase();
    const stage = await PostgresStage.open(database.url);
    try {
      for (const sdk of SDKS) {
        const [moment, change] = [oneOf(MOMENTS), upTo(NODE_CHANGES)];
        const play = () => stage.play(sdk, { at: change, moment }, "asleep");
        assert.equal(await at({ sdk, moment, change }, play), 1);
      }
    } finally {
      await stage.close();
      await database.drop();
    }
  },
);

test(`runs survive the death of their endpoint, seed ${SEED}`, async () => {
  const stage = await EndpointStage.open();
  try {
    for (const moment of ["received", "submitted", "answered"] as const) {
      const [sdk, request] = [oneOf(SDKS), upTo(ENDPOINT_REQUESTS)];
      const play = () => stage.play(sdk, { at: request, moment });
      assert.equal(await at({ sdk, moment, request }, play), 1);
    }
  } finally {
    await stage.close();
  }
});
