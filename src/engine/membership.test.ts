import assert from "node:assert/strict";
import { test } from "node:test";

import { createIds } from "../platform/ids.ts";
import { PROGRAM } from "../store/schema.ts";
import { ManualClock } from "../../test/support/manual-clock.ts";
import type { EngineOptions } from "./engine-options.ts";
import { Membership } from "./membership.ts";

const STORE_AHEAD_MS = 5_000;

test("whoever sets the wall clock of a node does not change what time it is for the store", async () => {
  const clock = new ManualClock();
  const startedAt = clock.now();
  const answer = {
    now: startedAt + STORE_AHEAD_MS,
    nodes: [],
    known: true,
    oldestProgram: PROGRAM,
  };
  const membership = new Membership({
    store: { beat: () => Promise.resolve(answer) },
    clock,
    ids: createIds(),
    alone: false,
  } as unknown as EngineOptions);
  await membership.beat();
  assert.equal(membership.storeNow(), startedAt + STORE_AHEAD_MS);
  clock.advance(1_000);
  for (const ms of [600_000, -1_200_000]) {
    clock.step(ms);
    assert.equal(membership.storeNow(), startedAt + STORE_AHEAD_MS + 1_000);
  }
});
