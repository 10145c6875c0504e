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
  const membership = memberOf(clock, () => startedAt + STORE_AHEAD_MS);
  await membership.beat();
  assert.equal(membership.storeNow(), startedAt + STORE_AHEAD_MS);
  clock.advance(1_000);
  for (const ms of [600_000, -1_200_000]) {
    clock.step(ms);
    assert.equal(membership.storeNow(), startedAt + STORE_AHEAD_MS + 1_000);
  }
});

test("a question that waited long before it was asked makes nothing due too soon", async () => {
  const clock = new ManualClock();
  const membership = memberOf(clock, () => {
    clock.advance(8_000);
    return clock.now();
  });
  await membership.beat();
  assert.equal(membership.storeNow(), clock.now());
});

/** A node whose store shows a time when it is asked. */
function memberOf(clock: ManualClock, storeNow: () => number): Membership {
  const beat = async (): Promise<object> => {
    await Promise.resolve();
    return { now: storeNow(), nodes: [], known: true, oldestProgram: PROGRAM };
  };
  const options = { store: { beat }, clock, ids: createIds(), alone: false };
  return new Membership(options as unknown as EngineOptions);
}
