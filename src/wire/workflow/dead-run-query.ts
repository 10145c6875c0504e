import type { DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { FailureCall } from "../../core/model/workflow/run.ts";
import { type ParameterRow, readParameters } from "../filters/filter-parameters.ts";
import {
  type BulkQuery,
  integer,
  type ListQuery,
  OVER_ROW,
  page,
  readBulk,
  readStatus,
  type Values,
} from "../filters/filters.ts";
import { naming, parseInteger, refusal } from "../headers/header-value.ts";
import { FAILURE_STATES } from "./run-log.ts";

const ROWS: readonly ParameterRow[] = [
  { name: "dlqIds", field: "dlqIds", splits: "everywhere" },
  { name: "workflowUrl", field: "workflowUrl", splits: "urls" },
  { name: "url", field: "workflowUrl", splits: "urls" },
  { name: "workflowRunId", field: "workflowRunId", splits: "everywhere" },
  { name: "workflowCreatedAt", field: "workflowCreatedAt", splits: "everywhere" },
  { name: "label", field: "label", splits: "everywhere" },
  { name: "failureFunctionState", field: "failureFunctionState", splits: "everywhere" },
  { name: "failureCallbackState", field: "failureFunctionState", splits: "everywhere" },
  { name: "responseStatus", field: "responseStatus", splits: "everywhere" },
  { name: "callerIp", field: "callerIp", splits: "everywhere" },
  { name: "callerIP", field: "callerIp", splits: "everywhere" },
  { name: "flowControlKey", field: "flowControlKey", splits: "bare" },
  { name: "fromDate", field: "fromDate", splits: "single" },
  { name: "toDate", field: "toDate", splits: "single" },
  { name: "count", field: "count", splits: "single" },
  { name: "order", field: "order", splits: "single" },
  { name: "cursor", field: "cursor", splits: "single" },
  { name: "source", field: "source", splits: "ignored" },
];

const LIST_COUNT_MAX = 100;

/** The query of `GET /v2/workflows/dlq`. */
export function readDeadRunQuery(query: string): ListQuery<DeadRunFilter> {
  const values = readParameters(query, ROWS, "lenient");
  return { filter: filterOf(values), ...page(values, LIST_COUNT_MAX) };
}

/** The query and body of a request for many failed runs. */
export function readDeadRunBulk(query: string, body: Uint8Array): BulkQuery<DeadRunFilter> {
  const values = readParameters(query, ROWS, "strict");
  return readBulk(values, body, () => filterOf(values));
}

/** The same where the runs are resumed or restarted. */
export function readDeadRunRerun(query: string, body: Uint8Array): BulkQuery<DeadRunFilter> {
  const values = readParameters(query, [...ROWS, OVER_ROW], "strict");
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
    callerIps: values.get("callerIp"),
    flowControlKeys: values.get("flowControlKey"),
    fromAt: integer(values, "fromDate"),
    toAt: integer(values, "toDate"),
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
