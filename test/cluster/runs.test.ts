/** A small sample of what `npm run prove` does with workflow runs and killed nodes. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { faultsOf, stepKey } from "../prove/runs/judge.ts";
import { killUnderRuns, requireEnded } from "../prove/runs/kill-runs.ts";
import type { RunPlan } from "../prove/runs/plan.ts";
import type { Stored, StoredRun } from "../prove/runs/stored.ts";
import type { Witness } from "../prove/runs/witness.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

const skip = postgresMissing();

test("runs on two nodes end as they should while one is killed", { skip }, async () => {
  const database = await freshDatabase();
  try {
    const options = { nodes: 2, runs: 50, kills: 1, seed: 20_261_115, openMax: 50 };
    requireEnded(await killUnderRuns(database.url, options));
  } finally {
    await database.drop();
  }
});

test("the judge sees whatever is not as it should be", () => {
  assert.deepEqual(judge(), []);
  sees(/is started, and not success/, { runs: [aRun({ phase: "started" })] });
  sees(/0.0 came to 2, not 1/, { runs: [aRun({ response: '[2,"timed out"]' })] });
  sees(/0.1 came to "timed out", not 2/, {}, {}, "yes");
  assert.deepEqual(judge({ runs: [aRun({ response: "[1,2]" })] }, {}, "unknown"), []);
  sees(/0.1 came to 2, not timed out/, { runs: [aRun({ response: "[1,2]" })] });
  sees(/is not there/, { runs: [] });
  sees(/was started 2 times/, { runs: [aRun(), aRun()] });
  sees(/nobody started other/, { runs: [aRun(), aRun({ runId: "other" })] });
  sees(/invoked something/, { runs: [aRun(), aRun({ runId: "x", invokerId: "r" })] });
  sees(/recorded begin 0.0 as result/, { entries: ENTRIES.slice(0, 4) });
  sees(/recorded begin 0.0 0.1 0.1 as result/, { entries: [...ENTRIES, ENTRIES.at(-1)!] });
  sees(/dead, but not failed/, { dead: ["r"] });
  sees(/not one dead letter/, { runs: [aRun({ phase: "failed", response: null })] });
  sees(/1 waiters are left/, { left: { waiters: 1 } });
  const twice = ["m1", "m2"].map((messageId) => ({ runId: "r", name: "0.0", messageId }));
  sees(/was done for m1, m2/, {}, { works: twice });
  sees(/was called for m1, m2/, {}, { calls: twice });
  sees(/reported, not failed/, {}, { reports: ["r"] });
  const crowd = [1, 2].map((startedAt) => ({ key: "one-at-a-time", startedAt, endedAt: 3 }));
  sees(/one-at-a-time: 2 at once/, {}, { visits: crowd });
});

function sees(
  fault: RegExp,
  stored: Partial<Stored>,
  witness: Partial<Witness> = {},
  woken: "yes" | "no" = "no",
): void {
  assert.match(judge(stored, witness, woken).join("\n"), fault);
}

/** Judges one run of two steps side by side, in which all is well but for what is given. */
function judge(
  stored: Partial<Stored> = {},
  witness: Partial<Witness> = {},
  woken: "yes" | "no" | "unknown" = "no",
): string[] {
  const allStored = { runs: [aRun()], entries: ENTRIES, dead: [], left: {}, ...stored };
  const allSeen = { works: [], calls: [], visits: [], reports: [], ...witness };
  const learned = { canceled: new Map(), woken: new Map([[stepKey("r", "0.1"), woken]]) };
  return faultsOf([PLAN], allStored, allSeen, learned);
}

function aRun(fields: Partial<StoredRun> = {}): StoredRun {
  const none = { invokerId: null, invokerStep: "0.0", report: null };
  return { runId: "r", phase: "success", response: '[1,"timed out"]', ...none, ...fields };
}

const PLAN: RunPlan = {
  runId: "r",
  sdk: "own",
  key: null,
  stages: [
    [
      { kind: "work", value: 1, stumbles: false },
      { kind: "race", value: 2 },
    ],
  ],
  ending: "returns",
  cancelAfterMs: 0,
  reportTo: "url",
};
const ENTRIES = [
  ["result", "begin"],
  ["plan", "0.0"],
  ["plan", "0.1"],
  ["result", "0.0"],
  ["result", "0.1"],
].map(([kind, name]) => ({ runId: "r", kind: kind as "plan" | "result", name: name! }));
