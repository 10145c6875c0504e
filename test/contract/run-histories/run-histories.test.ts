/**
 * Random histories of workflow runs on every store, held against a plain model.
 * POSTRIDER_HISTORIES=full plays as many as `npm run prove`, POSTRIDER_SEED those of another seed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";

import { STORES } from "../../support/stores.ts";
import { playRunHistory, type Reached } from "./play-run-history.ts";
import { runStep } from "./run-step.ts";

const COUNTS: Readonly<Record<string, readonly [sample: number, full: number]>> = {
  "SQLite in memory": [150, 5_000],
  "SQLite on disk": [5, 500],
  PostgreSQL: [15, 1_000],
};
const isFull = process.env["POSTRIDER_HISTORIES"] === "full";
const seed = Number(process.env["POSTRIDER_SEED"] ?? 20_261_115);
/** So many histories come to everything; fewer may miss what is rare. */
const REACHING = 150;
const GOALS = [
  "told",
  "kept",
  "timed out",
  "invoked",
  "not invoked",
  "success",
  "canceled",
  "failed",
  "failed idle",
  "gained in time",
];

for (const kind of STORES) {
  const [sample, full] = COUNTS[kind.name] ?? [1, 1];
  const histories = isFull ? full : sample;
  const name = `${histories} histories of runs on ${kind.name} read like the model's, seed ${seed}`;
  test(name, { skip: kind.skip }, async () => {
    const reached: Reached = new Map();
    const steps = fc.array(runStep, { minLength: 1, maxLength: 40, size: "max" });
    await fc.assert(
      fc.asyncProperty(steps, (chosen) => playRunHistory(kind, chosen, reached)),
      { numRuns: histories, seed },
    );
    if (histories < REACHING) return;
    const missed = GOALS.filter((goal) => !reached.has(goal));
    assert.deepEqual(missed, [], `not reached in ${histories} histories`);
  });
}
