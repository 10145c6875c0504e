import assert from "node:assert/strict";
import { test } from "node:test";

import { type Played, play } from "./play.ts";

/** The real engine on simulated time: nodes that die, a store that fails, destinations that hang. */
const SEEDS = Number(process.env["SIMULATION_SEEDS"] ?? 6);
const FIRST_SEED = Number(process.env["SIMULATION_FIRST_SEED"] ?? 1);

test(`${SEEDS} seeds: nothing is lost, over-tried or sent without reason`, async () => {
  const reached = {
    kills: 0,
    losses: 0,
    dead: 0,
    canceled: 0,
    retried: 0,
    callbacks: 0,
    faults: 0,
    halts: 0,
  };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const played = await play(seed);
    assert.deepEqual(played.violations, [], `seed ${seed}`);
    count(reached, played);
  }
  // A simulation that never got there has shown nothing.
  for (const [what, times] of Object.entries(reached))
    assert.ok(times > 0, `never reached: ${what}`);
});

function count(reached: Record<string, number>, played: Played): void {
  for (const [what, times] of Object.entries(played.reached)) {
    reached[what] = (reached[what] ?? 0) + times;
  }
}
