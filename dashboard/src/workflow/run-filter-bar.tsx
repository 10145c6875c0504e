/** The filter of the runs, with suggestions from the rows that are shown. */
import type { Run } from "../../../sdk/src/answers/workflow.ts";
import { counted } from "../app/format.ts";
import { navigate } from "../app/router.ts";
import { FilterBar } from "../parts/filter-bar.tsx";
import {
  fieldOfValues,
  type FilterField,
  SEARCH_FIELD,
  stateField,
  TIME_FIELD,
} from "../parts/filter-fields.ts";
import { RUN_FILTER_STATES } from "./run-filter.ts";
import { runHref } from "./run-log.ts";

export function RunFilterBar({ runs }: { readonly runs: readonly Run[] }) {
  const fields: readonly FilterField[] = [
    SEARCH_FIELD,
    stateField(RUN_FILTER_STATES),
    {
      ...fieldOfValues("workflow", () => runs.map(({ workflowUrl }) => workflowUrl)),
      check: (value) =>
        /^https?:\/\//.test(value) ? null : "Give the whole URL of the workflow, with https://.",
    },
    { name: "run", show: (value) => (value.includes(",") ? runsText(value) : value) },
    fieldOfValues("label", () => runs.flatMap(({ labels }) => labels ?? [])),
    fieldOfValues("key", () => runs.map(({ flowControlKey }) => flowControlKey)),
    fieldOfValues("caller", () => runs.map((run) => run.workflowRunCallerIp)),
    TIME_FIELD,
  ];
  return (
    <FilterBar
      label="Filter runs"
      hint="Search URL or label, paste an id, or filter: state:… label:… since:1h"
      fields={fields}
      onText={fieldOf}
    />
  );
}

/** Where an action leads to the runs that it made. */
function runsText(ids: string): string {
  return counted(ids.split(",").length, "run");
}

/** An id opens its run, an address is a workflow, anything else is searched for. */
function fieldOf(text: string): string | null {
  if (/^wfr_\S+$/.test(text)) {
    navigate(runHref(text));
    return null;
  }
  return /^https?:\/\//.test(text) ? "workflow" : "q";
}
