import type { RunLogFilter } from "../../core/model/workflow/run-filter.ts";
import {
  RUN_STATES,
  type RunLogState,
  STEP_STATES,
  type StepState,
} from "../../core/model/workflow/run-log.ts";
import {
  filterOf,
  type ParameterRow,
  readParameters,
  several,
  single,
  type Values,
} from "../filters/filter-parameters.ts";
import {
  COUNT,
  CURSOR_ROW,
  FLOW_CONTROL_KEY,
  FROM_DATE,
  LABEL,
  RUN_CALLER_IP,
  TO_DATE,
  WORKFLOW_CREATED_AT,
  WORKFLOW_RUN_ID,
  WORKFLOW_URL,
} from "../filters/filter-rows.ts";
import { integerIn, type ListQuery } from "../filters/filters.ts";
import { prefixErrors, parseInteger, invalidRequest } from "../headers/header-value.ts";
import { choice, integer } from "../json/schema.ts";

/** The requested log of runs. */
export interface RunLogQuery extends ListQuery<RunLogFilter> {
  /** States of runs, of their steps, or of events. */
  readonly states?: readonly (RunLogState | StepState)[] | undefined;
  readonly messageIds?: readonly string[] | undefined;
  readonly trim: BodyTrim;
}

/** Events, or runs when grouped by run. */
export interface RunEventQuery extends RunLogQuery {
  readonly lists: "runs" | "events";
}

/** How much of each body is shown: a number of bytes, all of it, or none. */
export type BodyTrim = number | "whole" | "none";

const STATES = [...Object.values(RUN_STATES), ...STEP_STATES];

export const RUN_LOG_ROWS: readonly ParameterRow[] = [
  WORKFLOW_URL,
  WORKFLOW_RUN_ID,
  WORKFLOW_CREATED_AT,
  several(
    "workflowRuns",
    null,
    "Only these runs, each as `<workflowRunId>@<workflowCreatedAt>`. The other filters are then ignored.",
  ),
  several("state", null, "Only with a run, a step or an event in these states.", {
    value: choice(STATES),
  }),
  FROM_DATE,
  TO_DATE,
  COUNT,
  CURSOR_ROW,
  single("trimBody", "Show this many bytes of each body; -1 for none.", integer()),
  LABEL,
  FLOW_CONTROL_KEY,
  ...RUN_CALLER_IP,
  several("messageId", null, "Only with these messages."),
  single("groupBy", "List runs with their steps.", choice(["workflowRunId"])),
];

/** The query of `GET /v2/workflows/logs`, which lists runs and leaves bodies out. */
export function readRunLogQuery(query: string): RunLogQuery {
  return toQuery(readParameters(query, RUN_LOG_ROWS, "lenient"), "none", LOGS_RUNS_MAX);
}

/** The query of `GET /v2/workflows/events`, which lists events, or runs when grouped by them. */
export function readRunEventQuery(query: string): RunEventQuery {
  const values = readParameters(query, RUN_LOG_ROWS, "lenient");
  const asked = toQuery(values, "whole", EVENTS_RUNS_MAX);
  return { ...asked, lists: values.has("groupBy") ? "runs" : "events" };
}

function toQuery(values: Values, trim: BodyTrim, runsMax: number): RunLogQuery {
  const isGrouped = readGrouping(values);
  const countMax = isGrouped ? runsMax : COUNT_MAX;
  const count = integerIn(values, "count") ?? (isGrouped ? RUNS_DEFAULT : countMax);
  if (count < 1 || count > countMax) throw invalidRequest(`count: must be from 1 to ${countMax}`);
  const keys = values.get("workflowRuns")?.map(readRunKey);
  const states = values.get("state")?.map(readState);
  return {
    // With run keys, the other filters are ignored.
    filter: keys === undefined ? runLogFilter(values) : { keys },
    states: keys === undefined ? states : undefined,
    messageIds: keys === undefined ? values.get("messageId") : undefined,
    count,
    order: "latestFirst",
    cursor: values.get("cursor")?.[0] ?? null,
    trim: readTrim(values) ?? trim,
  };
}

function runLogFilter(values: Values): RunLogFilter {
  const urls = values.get("workflowUrl");
  if (urls?.some((url) => !/^https?:\/\//.test(url))) {
    throw invalidRequest("workflowUrl: must begin with http:// or https://");
  }
  return filterOf(values, RUN_LOG_ROWS);
}

function readGrouping(values: Values): boolean {
  const [groupBy] = values.get("groupBy") ?? [];
  if (groupBy !== undefined && groupBy !== "workflowRunId") {
    throw invalidRequest("groupBy: must be workflowRunId");
  }
  return groupBy !== undefined;
}

function readState(text: string): RunLogState | StepState {
  const state = STATES.find((known) => known === text.toUpperCase());
  if (state === undefined) throw invalidRequest(`state: is not one of ${STATES.join(", ")}`);
  return state;
}

/** `<workflowRunId>@<workflowCreatedAt>`; an id may hold an @ as well. */
function readRunKey(text: string): { runId: string; createdAt: number } {
  const at = text.lastIndexOf("@");
  if (at < 1) throw invalidRequest("workflowRuns: must be <workflowRunId>@<workflowCreatedAt>");
  const createdAt = prefixErrors("workflowRuns", () => parseInteger(text.slice(at + 1)));
  return { runId: text.slice(0, at), createdAt };
}

function readTrim(values: Values): BodyTrim | undefined {
  const [text] = values.get("trimBody") ?? [];
  if (text === "-1") return "none";
  return text === undefined ? undefined : prefixErrors("trimBody", () => parseInteger(text));
}

const COUNT_MAX = 1_000;
/** Runs in a list grouped by run: the default, and the maximum of each path. */
const RUNS_DEFAULT = 10;
const LOGS_RUNS_MAX = 10;
const EVENTS_RUNS_MAX = 100;
