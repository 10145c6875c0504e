import type { DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { FailureCall } from "../../core/model/workflow/run.ts";
import { type ParameterRow, readParameters } from "../filters/filter-parameters.ts";
import {
  CAUSE,
  COUNT,
  CURSOR_ROW,
  DRY_RUN_ROW,
  ERROR,
  FLOW_CONTROL_KEY,
  FROM_DATE,
  LABEL,
  ORDER,
  OVER_ROW,
  RESPONSE_STATUS,
  TO_DATE,
} from "../filters/filter-rows.ts";
import {
  type BulkQuery,
  integerIn,
  type ListQuery,
  page,
  readBulk,
  readStatus,
  type Values,
} from "../filters/filters.ts";
import { naming, parseInteger, refusal } from "../headers/header-value.ts";
import { FAILURE_STATES } from "../../core/model/workflow/run-log.ts";
import {
  RUN_CALLER_IP,
  WORKFLOW_CREATED_AT,
  WORKFLOW_RUN_ID,
  WORKFLOW_URL,
} from "./run-filter-rows.ts";

export const DEAD_RUN_ROWS: readonly ParameterRow[] = [
  {
    name: "dlqIds",
    field: "dlqIds",
    splits: "everywhere",
    says: "Only these failed runs. The other filters are then ignored.",
  },
  WORKFLOW_URL,
  { name: "url", field: "workflowUrl", splits: "urls" },
  WORKFLOW_RUN_ID,
  WORKFLOW_CREATED_AT,
  LABEL,
  {
    name: "failureFunctionState",
    field: "failureFunctionState",
    splits: "everywhere",
    says: "Only with these states of the failure callback.",
  },
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
  return { filter: filterOf(values), ...page(values, LIST_COUNT_MAX) };
}

/** The query and body of a request for many failed runs. */
export function readDeadRunBulk(query: string, body: Uint8Array): BulkQuery<DeadRunFilter> {
  const values = readParameters(query, DELETE_RUN_ROWS, "strict");
  return readBulk(values, body, () => filterOf(values));
}

/** The same where the runs are resumed or restarted. */
export function readDeadRunRerun(query: string, body: Uint8Array): BulkQuery<DeadRunFilter> {
  const values = readParameters(query, RERUN_ROWS, "strict");
  return readBulk(values, body, () => filterOf(values));
}

function filterOf(values: Values): DeadRunFilter {
  return {
    deadLetterIds: values.get("dlqIds"),
    workflowUrls: values.get("workflowUrl"),
    runIds: values.get("workflowRunId"),
    createdAts: values
      .get("workflowCreatedAt")
      ?.map((text) => naming("workflowCreatedAt", () => parseInteger(text))),
    labels: values.get("label"),
    reportStates: values.get("failureFunctionState")?.map(readReportState),
    statuses: values.get("responseStatus")?.map(readStatus),
    errors: values.get("error"),
    causes: values.get("cause"),
    callerIps: values.get("callerIp"),
    flowControlKeys: values.get("flowControlKey"),
    fromAt: integerIn(values, "fromDate"),
    toAt: integerIn(values, "toDate"),
  };
}

function readReportState(text: string): FailureCall["state"] {
  const states = Object.keys(FAILURE_STATES) as FailureCall["state"][];
  const state = states.find((one) => FAILURE_STATES[one] === text.toUpperCase());
  if (state === undefined) {
    const known = Object.values(FAILURE_STATES).filter((name) => name !== undefined);
    throw refusal(`failureFunctionState: is not one of ${known.join(", ")}`);
  }
  return state;
}
