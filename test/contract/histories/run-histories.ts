import assert from "node:assert/strict";

import * as fc from "fast-check";

import type { StoreKind } from "../../support/stores.ts";
import { playHistory } from "./history.ts";
import { Reached } from "./reached.ts";
import { step } from "./step.ts";

export interface HistoriesRun {
  readonly histories: number;
  /** The same seed plays the same histories. */
  readonly seed: number;
}

type Counts = Readonly<Record<string, number>>;

/** A sample for every test run, and as many as `npm run prove` plays. */
export const HISTORIES: { readonly sample: Counts; readonly full: Counts } = {
  sample: { "SQLite in memory": 150, "SQLite on disk": 5, PostgreSQL: 15 },
  full: { "SQLite in memory": 5_000, "SQLite on disk": 500, PostgreSQL: 1_000 },
};
export const SAMPLE_SEED = 20_260_727;

/** So many histories come to everything; fewer may miss what is rare. */
const REACHING = 150;

/** Plays random histories on a store; throws with the seed and the shortest one that fails. */
export async function runHistories(
  kind: StoreKind,
  { histories, seed }: HistoriesRun,
): Promise<string> {
  const reached = new Reached();
  const steps = fc.array(step, { minLength: 1, maxLength: 60, size: "max" });
  await fc.assert(
    fc.asyncProperty(steps, (chosen) => playHistory(kind, chosen, reached)),
    { numRuns: histories, seed },
  );
  if (histories >= REACHING) {
    assert.deepEqual(reached.missed(), [], `not reached in ${histories} histories, seed ${seed}`);
  }
  return `${histories} histories, seed ${seed}; reached: ${reached.describe()}`;
}
