import assert from "node:assert/strict";
import { test } from "node:test";
import { newRunState } from "../../../core/rules/workflow/run-entries.ts";
import type { RunState } from "../../../core/model/workflow/run.ts";
import { aRun } from "../../../../test/support/runs.ts";
import { RunRows } from "../../group/run-rows.ts";
import { ActiveRunCache } from "./active-runs.ts";

function aState(fields: Partial<RunState> = {}): RunState {
  return { ...newRunState(aRun({ runId: fields.runId ?? "run" }), []), ...fields };
}

function added(...states: readonly RunState[]): RunRows {
  const rows = new RunRows(() => []);
  for (const run of states) rows.apply({ type: "run.added", run });
  return rows;
}

test("a run is known by its name and its creation time, as it was stored last", () => {
  const cache = new ActiveRunCache();
  const state = aState();
  cache.remember(added(state));
  assert.equal(cache.get(state), state);
  const { accountId, runId, createdAt } = state;
  assert.equal(cache.get({ accountId, runId }), undefined, "an older run may have the same name");
  assert.equal(cache.get({ accountId: "other", runId, createdAt }), undefined);
  const grown = aState({ nextOrdinal: 7 });
  const rows = new RunRows(() => []);
  rows.apply({ type: "run.changed", run: grown });
  cache.remember(rows);
  assert.equal(cache.get(state), grown);
});

test("a run that has ended is not known, nor is any after rows were changed elsewhere", () => {
  const cache = new ActiveRunCache();
  const [one, other] = [aState({ runId: "one" }), aState({ runId: "other" })];
  cache.remember(added(one, other));
  const rows = new RunRows(() => []);
  const ended = { ...one, phase: "success", endedAt: one.createdAt } as const;
  rows.apply({ type: "run.ended", run: ended, response: null });
  cache.remember(rows);
  assert.equal(cache.get(one), undefined);
  assert.equal(cache.get(other), other);
  cache.forget();
  assert.equal(cache.get(other), undefined);
});

test("the 500 runs that were changed last are known", () => {
  const cache = new ActiveRunCache();
  const states = Array.from({ length: 501 }, (_, index) => aState({ runId: `run-${index}` }));
  cache.remember(added(...states.slice(0, 500)));
  cache.remember(added(states[0]!, states[500]!));
  const known = states.filter((state) => cache.get(state) !== undefined);
  assert.deepEqual([known.length, known.includes(states[1]!)], [500, false]);
  assert.equal(cache.get(states[0]!), states[0]);
});
