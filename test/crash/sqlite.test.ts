/** What a run comes to when the service on SQLite dies in the middle of it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { SDKS } from "./endpoint-process.ts";
import { MOMENTS } from "./failpoint.ts";
import { at } from "./points.ts";
import { playRevival, WAYS } from "./revival.ts";
import { CHANGES, oneOf, SEED, upTo } from "./sample.ts";
import { SqliteStage } from "./sqlite.ts";

describe(`when the service on SQLite dies, seed ${SEED}`, () => {
  let stage: SqliteStage;
  before(async () => {
    stage = await SqliteStage.open();
  });
  after(() => stage.close());

  for (const sdk of SDKS) {
    test(`a run of ${sdk} goes on`, async () => {
      for (const [moment, change] of [
        ["after", 1],
        [oneOf(MOMENTS), upTo(CHANGES)],
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
