import type { Run } from "../../../sdk/src/answers/workflow.ts";
import type { RunState } from "../../../sdk/src/answers/words.ts";
import type { Selection } from "../../../sdk/src/selection.ts";
import type { DeadRunFilter } from "../../../sdk/src/client/dead-runs.ts";
import { CommandError } from "../command-error.ts";
import { type Handlers, type Invocation, word } from "../invocation.ts";
import { type Columns, counted } from "../terminal/output.ts";
import { durationText, timeText } from "../terminal/time-text.ts";
import { changeAll, type Changed, changeMany, requireIdsAlone, selectionOf } from "./again.ts";
import { deadRunFilter, limitOf, pageCount, runFilter } from "./filter-options.ts";
import { findIds } from "./found-ids.ts";

export const HANDLERS: Handlers = {
  "runs list": async ({ client, output, flags }) => {
    const limit = limitOf(flags);
    const state = flags.text("run-state")?.toUpperCase() as RunState | undefined;
    const { workflowUrlExactMatch: _, ...filter } = runFilter(flags);
    const query = { ...filter, state, trimBody: -1, count: pageCount(limit) };
    await output.list(await client.workflow.logs(query), RUNS, limit);
  },
  "runs resume": (invocation) => rerun(invocation, "resume"),
  "runs restart": (invocation) => rerun(invocation, "restart"),
  "runs waiters": async ({ client, output, ...invocation }) => {
    await output.list(await client.workflow.waiters(word(invocation, 0)), {
      WORKFLOW: ({ url }) => url,
      "TIMES OUT": ({ deadline }) => timeText(deadline * 1_000),
    });
  },
};

async function rerun(invocation: Invocation, verb: "resume" | "restart"): Promise<void> {
  const { client, flags, words, output } = invocation;
  const filter = deadRunFilter(flags);
  if (words.length > 0) requireIdsAlone(filter, flags);
  const selection: Selection<DeadRunFilter> =
    words.length > 0 ? await deadIds(invocation) : selectionOf(filter, flags);
  const started: string[] = [];
  const change = async (some: Selection<DeadRunFilter>): Promise<Changed> => {
    const options = { over: flags.text("over") };
    const { workflowRuns, cursor } = await client.workflow.dlq[verb](some, options);
    const ids = workflowRuns.map(({ workflowRunId }) => workflowRunId);
    output.ids(ids);
    started.push(...ids);
    return { count: ids.length, cursor };
  };
  const sentence = (count: number): string => {
    const shown = count > 0 && count <= 5 ? `: ${started.join(", ")}` : "";
    return `${counted(count, "new run")} started${shown}`;
  };
  if (words.length > 0 && !flags.is("dry-run")) {
    const count = await changeAll(output, { selection, change, sentence });
    return output.done(sentence(count), { count });
  }
  const count = (some: Selection<DeadRunFilter>) => client.workflow.dlq.count(some);
  await changeMany(invocation, { selection, verb, noun: "failed run", count, change, sentence });
}

/** The dead letters of runs that are named by their ids. */
async function deadIds({ client, words }: Invocation): Promise<string[]> {
  const ids: string[] = [];
  for (const { kind, id } of await findIds(client, words)) {
    if (kind === "message") throw new CommandError(`${id} is a message; postrider retry sends it`);
    const dlqId = kind === "run" ? (await client.workflow.get(id))?.dlqId : id;
    if (dlqId === undefined) throw new CommandError(`the run ${id} has not failed`);
    ids.push(dlqId);
  }
  return ids;
}

const RUNS: Columns<Run> = {
  RUN: ({ workflowRunId }) => workflowRunId,
  STATE: ({ workflowState }) => workflowState,
  STARTED: ({ workflowRunCreatedAt }) => timeText(workflowRunCreatedAt),
  TOOK: ({ workflowRunCreatedAt: from, workflowRunCompletedAt: to }) =>
    to === undefined ? "" : durationText(to - from),
  STEPS: ({ steps }) => steps.reduce((sum, group) => sum + group.steps.length, 0),
  WORKFLOW: ({ workflowUrl }) => workflowUrl,
  LABELS: ({ labels }) => labels?.join(","),
};
