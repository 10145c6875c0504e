import assert from "node:assert/strict";
import { test } from "node:test";

import { playSchedules } from "./play-schedules.ts";

const SEEDS = Number(process.env["SIMULATION_SEEDS"] ?? 6);
const REACHING = 100;
const FIRST_SEED = Number(process.env["SIMULATION_FIRST_SEED"] ?? 1);

test(`${SEEDS} seeds of schedules: each due instant gives one message, or is on record`, async () => {
  const reached = new Map<string, number>();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const played = await playSchedules(seed);
    assert.deepEqual(played.violations, [], `seed ${seed}`);
    for (const [what, times] of Object.entries(played.reached)) {
      reached.set(what, (reached.get(what) ?? 0) + times);
    }
  }
  // A simulation that never got there has shown nothing; few seeds may miss what is rare.
  for (const [what, times] of reached) {
    const isExpected = SEEDS >= REACHING || what !== "tooOld";
    assert.ok(times > 0 || !isExpected, `never reached: ${what}`);
  }
});
