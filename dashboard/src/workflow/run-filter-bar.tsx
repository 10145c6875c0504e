/** The filter of the runs, with suggestions from the rows that are shown. */
import { navigate } from "../app/router.ts";
import { TIMES } from "../message/message-filter.ts";
import { FilterBar, type FilterField } from "../parts/filter-bar.tsx";
import { RUN_FILTER_STATES } from "./run-filter.ts";
import { runHref, type RunLog } from "./run-log.ts";

export function RunFilterBar({ runs }: { readonly runs: readonly RunLog[] }) {
  const fields: readonly FilterField[] = [
    {
      name: "state",
      suggest: () => RUN_FILTER_STATES,
      check: (value) =>
        RUN_FILTER_STATES.includes(value.toUpperCase() as never)
          ? null
          : `No state is called ${value}. There are ${RUN_FILTER_STATES.join(", ")}.`,
    },
    {
      name: "workflow",
      suggest: () => distinct(runs.map(({ workflowUrl }) => workflowUrl)),
      check: (value) =>
        /^https?:\/\//.test(value) ? null : "Give the whole URL of the workflow, with https://.",
    },
    { name: "run" },
    { name: "label", suggest: () => distinct(runs.flatMap(({ labels }) => labels ?? [])) },
    { name: "key", suggest: () => distinct(runs.map(({ flowControlKey }) => flowControlKey)) },
    { name: "caller", suggest: () => distinct(runs.map((run) => run.workflowRunCallerIp)) },
    {
      name: "time",
      suggest: () => Object.keys(TIMES),
      check: (value) => (value in TIMES ? null : `Give one of ${Object.keys(TIMES).join(", ")}.`),
      show: (value) => TIMES[value]?.words ?? value,
    },
  ];
  return (
    <FilterBar
      label="Filter runs"
      hint="Add a filter: state, workflow, run id, label, key, caller, time"
      fields={fields}
      onText={fieldOf}
    />
  );
}

/** An id opens its run, an address is a workflow, anything else a label. */
function fieldOf(text: string): string | null {
  if (/^wfr_\S+$/.test(text)) {
    navigate(runHref(text));
    return null;
  }
  return /^https?:\/\//.test(text) ? "workflow" : "label";
}

function distinct(values: readonly (string | undefined)[]): string[] {
  const known = values.filter((value) => value !== undefined && value !== "");
  return [...new Set(known as string[])].slice(0, SUGGESTIONS_MAX);
}

const SUGGESTIONS_MAX = 20;
