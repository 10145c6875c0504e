import assert from "node:assert/strict";

import type { Reader } from "../../../src/store/reader.ts";
import type { Store } from "../../../src/store/store.ts";
import { textOf } from "../../../src/wire/message/body.ts";
import { refOf } from "../../support/runs.ts";
import type { ModelEntry, ModelRun, ModelRuns } from "./model-runs.ts";
import { EVENTS } from "./run-step.ts";

/** All that can be seen of the runs of a store is as the model says. */
export async function compareRuns({ reader }: Store, model: ModelRuns): Promise<void> {
  for (const run of model.all) await compareRun(reader, run);
  for (const eventId of EVENTS) {
    const waiters = await reader.waiters.forEvent("account", eventId, null, 100);
    const shown = waiters.map(({ runId, stepId, deadlineAt }) => ({ runId, stepId, deadlineAt }));
    const expected = model.all.flatMap(({ runId, waiters: ours }) =>
      ours
        .filter((waiter) => waiter.eventId === eventId)
        .map(({ stepId, deadlineAt }) => ({ runId, stepId, deadlineAt })),
    );
    assert.deepEqual(sorted(shown), sorted(expected), `who waits for ${eventId}`);
  }
  const { waiting, active } = await reader.upkeep.counts();
  const wanted = model.all.map((run) => [run.waiting.size, run.underWay.size]);
  const sum = (index: number): number => wanted.reduce((all, one) => all + one[index]!, 0);
  assert.deepEqual([waiting, active], [sum(0), sum(1)], "messages that wait and are under way");
  const letters = await reader.deadRuns.list("account", {}, { ...PAGE, after: null });
  assert.equal(letters.items.length, model.deadLetters, "dead letters");
}

async function compareRun(reader: Reader, run: ModelRun): Promise<void> {
  const ref = { ...refOf(run.runId), createdAt: run.createdAt };
  const stored = await reader.runs.get(ref);
  const name = `${run.runId}@${run.createdAt}`;
  assert.equal(stored?.state.phase, run.phase, name);
  assert.equal(stored.state.storedEvents * Number(run.phase === "started"), run.events.length);
  const entries = await reader.runs.entries(ref);
  assert.deepEqual(
    entries.map(({ stepKey, messageId, body }) => ({
      what: stepKey,
      messageId,
      ...outOf(body),
    })),
    run.entries.map(({ what, messageId, out }: ModelEntry) => ({
      what,
      messageId,
      ...(out === undefined ? {} : { out }),
    })),
    `entries of ${name}`,
  );
}

/** What ended a wait, as its entry says. */
function outOf(body: Uint8Array): { out?: string | null } {
  const text = textOf(body) ?? "";
  if (!text.startsWith("{")) return {};
  const step = JSON.parse(text) as { out?: string; stepType: string; waitTimeout?: boolean };
  if (step.waitTimeout === true) return { out: null };
  if (step.out === undefined) return {};
  // The end of another run is told as it is, the data of an event encoded.
  const isEnd = step.stepType === "Invoke";
  return { out: isEnd ? step.out : Buffer.from(step.out, "base64").toString() };
}

function sorted(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

const PAGE = { count: 1_000, order: "earliestFirst" } as const;
