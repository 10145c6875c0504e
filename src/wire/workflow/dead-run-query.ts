import type { DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { FailureCall } from "../../core/model/workflow/run.ts";
import {
  filterOf,
  type ParameterRow,
  readParameters,
  several,
} from "../filters/filter-parameters.ts";
import {
  CAUSE,
  COUNT,
  CURSOR_ROW,
  dlqIds,
  DRY_RUN_ROW,
  ERROR,
  FLOW_CONTROL_KEY,
  FROM_DATE,
  LABEL,
  ORDER,
  OVER_ROW,
  RESPONSE_STATUS,
  RUN_CALLER_IP,
  TO_DATE,
  WORKFLOW_CREATED_AT,
  WORKFLOW_RUN_ID,
  WORKFLOW_URL,
} from "../filters/filter-rows.ts";
import { type BulkQuery, type ListQuery, page, readBulk } from "../filters/filters.ts";
import { invalidRequest } from "../headers/header-value.ts";
import { FAILURE_STATES } from "../../core/model/workflow/run-log.ts";

export const DEAD_RUN_ROWS: readonly ParameterRow[] = [
  dlqIds("failed runs"),
  WORKFLOW_URL,
  { name: "url", field: "workflowUrl", splits: "urls" },
  WORKFLOW_RUN_ID,
  WORKFLOW_CREATED_AT,
  LABEL,
  several(
    "failureFunctionState",
    "reportStates",
    "Only with these states of the failure callback.",
    { read: (texts) => texts.map(readReportState) },
  ),
  { name: "failureCallbackState", field: "failureFunctionState", splits: "everywhere" },
  RESPONSE_STATUS,
  ...RUN_CALLER_IP,
  ERROR,
  CAUSE,
  FLOW_CONTROL_KEY,
  FROM_DATE,
  TO_DATE,
  COUNT,
  ORDER,
  CURSOR_ROW,
  { name: "source", field: "source", splits: "ignored" },
];

/** The filters, and what else a request to delete runs, or to resume or restart them, takes. */
export const DELETE_RUN_ROWS: readonly ParameterRow[] = [...DEAD_RUN_ROWS, DRY_RUN_ROW];
export const RERUN_ROWS: readonly ParameterRow[] = [...DELETE_RUN_ROWS, OVER_ROW];

const LIST_COUNT_MAX = 100;

/** The query of `GET /v2/workflows/dlq`. */
export function readDeadRunQuery(query: string): ListQuery<DeadRunFilter> {
  const values = readParameters(query, DEAD_RUN_ROWS, "lenient");
  return { filter: filterOf(values, DEAD_RUN_ROWS), ...page(values, LIST_COUNT_MAX) };
}

/** The query and body of a request for many failed runs. */
export function readDeadRunBulk(
  query: string,
  body: Uint8Array,
  rows = DELETE_RUN_ROWS,
): BulkQuery<DeadRunFilter> {
  const values = readParameters(query, rows, "strict");
  return readBulk(values, body, () => filterOf(values, DEAD_RUN_ROWS));
}

function readReportState(text: string): FailureCall["state"] {
  const states = Object.keys(FAILURE_STATES) as FailureCall["state"][];
  const state = states.find((one) => FAILURE_STATES[one] === text.toUpperCase());
  if (state === undefined) {
    const known = Object.values(FAILURE_STATES).filter((name) => name !== undefined);
    throw invalidRequest(`failureFunctionState: is not one of ${known.join(", ")}`);
  }
  return state;
}
