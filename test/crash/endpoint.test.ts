/** What a run comes to when its endpoint dies in the middle of it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { EndpointStage } from "./endpoint.ts";
import { SDKS } from "./endpoint-process.ts";
import { at } from "./points.ts";
import { oneOf, REQUESTS, SEED, upTo } from "./sample.ts";

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
