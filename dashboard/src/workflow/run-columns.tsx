/** The columns of a table of runs. */
import type { Run } from "../../../sdk/src/answers/workflow.ts";
import { second } from "../app/clock.ts";
import { durationText, roughText } from "../app/format.ts";
import { Labels } from "../message/message-columns.tsx";
import { Chip } from "../parts/chip.tsx";
import { DestinationText } from "../parts/destination.tsx";
import type { Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { RunBar } from "./run-bar.tsx";
import { isEnded, runHref } from "./run-log.ts";
import { standsAt, stateOf, tookMs } from "./run-state.ts";

export function runColumns(runs: readonly Run[]): Column<Run>[] {
  const href = hrefsOf(runs);
  return [
    { head: "State", width: 176, cell: (run) => <Chip state={stateOf(run)} /> },
    {
      head: "Workflow",
      class: "full",
      cell: (run) => (
        <a href={href(run)}>
          <DestinationText method="" url={run.workflowUrl} id={run.workflowRunId} />
        </a>
      ),
    },
    { head: "Steps", width: 104, hide: "s", cell: (run) => <RunBar run={run} /> },
    {
      head: "Where it stands",
      width: 260,
      class: "soft full",
      cell: (run) => <Stands run={run} />,
    },
    {
      head: "Label",
      width: 92,
      hide: "m",
      cell: ({ labels }) => <Labels labels={labels ?? []} />,
    },
    { head: "Took", width: 96, class: "r soft", cell: (run) => <Took run={run} /> },
    {
      head: "Started",
      width: 84,
      class: "r muted end",
      cell: (run) => <Time at={run.workflowRunCreatedAt} />,
    },
  ];
}

/** Runs that share an id are told apart by their start. */
export function hrefsOf(runs: readonly Run[]): (run: Run) => string {
  const counts = new Map<string, number>();
  for (const { workflowRunId } of runs) {
    counts.set(workflowRunId, (counts.get(workflowRunId) ?? 0) + 1);
  }
  return ({ workflowRunId, workflowRunCreatedAt }) =>
    runHref(workflowRunId, (counts.get(workflowRunId) ?? 0) > 1 ? workflowRunCreatedAt : undefined);
}

function Stands({ run }: { readonly run: Run }) {
  const text = standsAt(run, isEnded(run) ? 0 : second.value);
  return <span title={text}>{text}</span>;
}

function Took({ run }: { readonly run: Run }) {
  if (isEnded(run)) return <>{durationText(tookMs(run, 0))}</>;
  return <>{roughText(tookMs(run, second.value))}</>;
}
