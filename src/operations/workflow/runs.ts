import type { RunRef, RunKey, RunEntry } from "../../core/model/workflow/run.ts";
import { notFound } from "../../core/not-found.ts";
import type { Problem } from "../../core/problem.ts";
import { BODY_PART_BYTES } from "../../store/reader/messages.ts";
import type { RunFilter } from "../../core/model/workflow/run-filter.ts";
import type { CancelQuery } from "../../wire/filters/filters.ts";
import { type BulkCount, countEach, changeEach } from "../bulk-pages.ts";
import { STREAM_BYTES } from "../message/body-parts.ts";
import type { Context } from "../context.ts";

const NOTHING = new Uint8Array(0);
const PAGE_COUNT = 100;

/** For an endpoint to which the entries were too large to send. They are read on demand. */
export async function listEntries(context: Context, ref: RunRef): Promise<AsyncIterable<RunEntry>> {
  const { reader } = context.store;
  await context.reserve?.(STREAM_BYTES);
  const stored = await reader.runs.get(ref);
  if (stored === null || stored.state.phase !== "started") throw runNotFound(ref);
  return eachEntry(context, stored.state);
}

async function* eachEntry({ store }: Context, key: RunKey): AsyncGenerator<RunEntry> {
  let after = -1;
  for (;;) {
    const entries = await store.reader.runs.entries(key, after, BODY_PART_BYTES);
    yield* entries;
    if (entries.length === 0) return;
    after = entries.at(-1)!.ordinal;
  }
}

/** An earlier call may have recorded it already, and its answer been lost. */
export async function finishRun(
  context: Context,
  ref: RunRef,
  response: Uint8Array,
): Promise<void> {
  await endRun(context, ref, "success", response);
}

export async function cancelRun(context: Context, ref: RunRef): Promise<void> {
  if (!(await endRun(context, ref, "canceled", NOTHING))) throw runNotFound(ref);
}

/** Cancels the matching runs, in pages, and returns how many had not ended. */
export async function cancelRuns(
  context: Context,
  accountId: string,
  { filter, count }: CancelQuery<RunFilter>,
): Promise<number> {
  const { runIds } = filter;
  if (runIds !== undefined) return cancelPage(context, accountId, [...new Set(runIds)]);
  let canceled = 0;
  await changeEach(
    count,
    PAGE_COUNT,
    (range) => context.store.reader.runs.active(accountId, filter, range),
    async (runs) => {
      const ids = runs.map(({ runId }) => runId);
      const ended = await cancelPage(context, accountId, ids);
      canceled += ended;
      return ended;
    },
  );
  return canceled;
}

/** How many of them there are. */
export async function countRuns(
  context: Context,
  accountId: string,
  { filter, count }: CancelQuery<RunFilter>,
): Promise<BulkCount> {
  const { runs } = context.store.reader;
  if (filter.runIds === undefined) {
    return countEach(context, count, (after) =>
      runs.active(accountId, filter, { after, count: PAGE_COUNT }),
    );
  }
  let found = 0;
  for (const runId of new Set(filter.runIds)) {
    const stored = await runs.get({ accountId, runId });
    if (stored?.state.phase === "started") found += 1;
  }
  return { count: found, isAbout: false };
}

async function cancelPage(
  context: Context,
  accountId: string,
  runIds: readonly string[],
): Promise<number> {
  let canceled = 0;
  for (let start = 0; start < runIds.length; start += PAGE_COUNT) {
    const page = runIds.slice(start, start + PAGE_COUNT);
    const ended = await Promise.all(
      page.map((runId) => endRun(context, { accountId, runId }, "canceled", NOTHING)),
    );
    canceled += ended.filter(Boolean).length;
  }
  return canceled;
}

/** False when it had ended before. The run that waits for it is notified in the same act. */
export async function endRun(
  { store, clock, ids, bell }: Context,
  ref: RunRef,
  phase: "success" | "canceled",
  response: Uint8Array,
): Promise<boolean> {
  const stored = await store.reader.runs.get(ref);
  if (stored === null || stored.state.phase !== "started") return false;
  const { accountId, runId, createdAt, run } = stored.state;
  const at = clock.now();
  const { invoker } = run;
  const answer = await store.act({
    rule: "end-run",
    at,
    ref: { accountId, runId, createdAt },
    phase,
    response,
    invoker: invoker
      ? {
          accountId,
          runId: invoker.runId,
          createdAt: invoker.createdAt,
          stepId: invoker.step.stepId,
        }
      : null,
    invokerMessageId: ids.sortable("msg_", at),
  });
  if (invoker) bell.ring();
  return answer === "ended";
}

export function runNotFound({ runId }: RunRef): Problem {
  return notFound("workflowRun", runId, "workflowRunId");
}
