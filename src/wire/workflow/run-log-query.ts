import type { RunLogFilter } from "../../core/model/workflow/run-filter.ts";
import {
  RUN_STATES,
  RUN_WAITS,
  type RunLogState,
  type RunWait,
  STEP_STATES,
  type StepState,
} from "../../core/model/workflow/run-log.ts";
import { givenIn, oneOf, readValues, several, single } from "../filters/filter-parameters.ts";
import { filterOf, rowsOf, wordIn } from "../filters/filter-rows.ts";
import { type ListQuery, pageIn } from "../filters/filters.ts";
import { invalidRequest, parseInteger } from "../headers/header-value.ts";
import { choice, integer } from "../json/schema.ts";

export interface RunLogQuery extends ListQuery<RunLogFilter> {
  /** States of runs, of their steps, or of events. */
  readonly states?: readonly (RunLogState | StepState)[] | undefined;
  readonly messageIds?: readonly string[] | undefined;
  /** Only runs that do nothing but sleep, or wait for an event. */
  readonly waitingFor?: readonly RunWait[] | undefined;
  readonly trim: BodyTrim;
}

/** Events, or runs when grouped by run. */
export interface RunEventQuery extends RunLogQuery {
  readonly lists: "runs" | "events";
}

/** How much of each body is shown: a number of bytes, all of it, or none. */
export type BodyTrim = number | "whole" | "none";

const STATES = new Map(
  [...Object.values(RUN_STATES), ...STEP_STATES].map((state) => [state as string, state]),
);

const GROUPS = ["workflowRunId"];

/** What no other list has. */
const OWN_ROWS = [
  several(
    "workflowRuns",
    "Only these runs, each as `<workflowRunId>@<workflowCreatedAt>`. The other filters are then ignored.",
    (texts) => texts.map(readRunKey),
  ),
  several(
    "state",
    "Only with a run, a step or an event in these states.",
    (texts) => texts.map((given) => wordIn(STATES, given)),
    choice([...STATES.keys()]),
  ),
  several(
    "waitingFor",
    "Only runs that do nothing but sleep, or wait for an event.",
    (texts) => texts.map(oneOf(RUN_WAITS)),
    choice(RUN_WAITS),
  ),
  several("messageId", "Only with these messages."),
  single("trimBody", "Show this many bytes of each body; -1 for none.", integer(), readTrim),
  single("groupBy", "List runs with their steps.", choice(GROUPS), oneOf(GROUPS)),
] as const;

const FILTER_ROWS = rowsOf("runLog");
export const RUN_LOG_ROWS = [...FILTER_ROWS, ...OWN_ROWS];

/** The query of `GET /v2/workflows/logs`, which lists runs and leaves bodies out. */
export function readRunLogQuery(query: string): RunLogQuery {
  return toQuery(query, "none", LOGS_RUNS_MAX);
}

/** The query of `GET /v2/workflows/events`, which lists events, or runs when grouped by them. */
export function readRunEventQuery(query: string): RunEventQuery {
  return toQuery(query, "whole", EVENTS_RUNS_MAX);
}

function toQuery(query: string, trimDefault: BodyTrim, runsMax: number): RunEventQuery {
  const values = readValues(query, RUN_LOG_ROWS, "lenient");
  const { workflowRuns: keys, ...given } = givenIn(values, OWN_ROWS);
  const { state: states, messageId: messageIds, trimBody: trim = trimDefault, groupBy } = given;
  const { waitingFor } = given;
  const page =
    groupBy === undefined
      ? { ...pageIn(values, COUNT_MAX), trim, lists: "events" as const }
      : { ...pageIn(values, runsMax, RUNS_DEFAULT), trim, lists: "runs" as const };
  // With run keys, the other filters are ignored.
  if (keys !== undefined) return { ...page, filter: { keys } };
  const filter = filterOf(values, FILTER_ROWS);
  if (filter.workflowUrls?.some((url) => !/^https?:\/\//.test(url))) {
    throw invalidRequest("workflowUrl: must begin with http:// or https://");
  }
  return { ...page, filter, states, messageIds, waitingFor };
}

/** `<workflowRunId>@<workflowCreatedAt>`; an id may hold an @ as well. */
function readRunKey(text: string): { runId: string; createdAt: number } {
  const at = text.lastIndexOf("@");
  if (at < 1) throw invalidRequest("must be <workflowRunId>@<workflowCreatedAt>");
  return { runId: text.slice(0, at), createdAt: parseInteger(text.slice(at + 1)) };
}

function readTrim(given: string): BodyTrim {
  return given === "-1" ? "none" : parseInteger(given);
}

const COUNT_MAX = 1_000;
/** Runs in a list grouped by run: the default, and the maximum of each path. */
const RUNS_DEFAULT = 10;
const LOGS_RUNS_MAX = 10;
const EVENTS_RUNS_MAX = 100;
