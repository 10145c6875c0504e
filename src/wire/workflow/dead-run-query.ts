import type { DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { FailureCall } from "../../core/model/workflow/run.ts";
import { type ParameterRow, readParameters, single } from "../filters/filter-parameters.ts";
import {
  type BulkQuery,
  COUNT,
  CURSOR_ROW,
  FROM_DATE,
  integer,
  type ListQuery,
  OVER_ROW,
  page,
  readBulk,
  readStatus,
  TO_DATE,
  type Values,
} from "../filters/filters.ts";
import { naming, parseInteger, refusal } from "../headers/header-value.ts";
import { choice, whole } from "../json/schema.ts";
import { FAILURE_STATES } from "./run-log.ts";

export const DEAD_RUN_ROWS: readonly ParameterRow[] = [
  {
    name: "dlqIds",
    field: "dlqIds",
    splits: "everywhere",
    says: "Only these failed runs. The other filters are then ignored.",
  },
  {
    name: "workflowUrl",
    field: "workflowUrl",
    splits: "urls",
    says: "Only of workflows at these URLs.",
  },
  { name: "url", field: "workflowUrl", splits: "urls" },
  {
    name: "workflowRunId",
    field: "workflowRunId",
    splits: "everywhere",
    says: "Only of these runs.",
  },
  {
    name: "workflowCreatedAt",
    field: "workflowCreatedAt",
    splits: "everywhere",
    says: "Only of runs that started at these instants.",
    value: whole(),
  },
  { name: "label", field: "label", splits: "everywhere", says: "Only with one of these labels." },
  {
    name: "failureFunctionState",
    field: "failureFunctionState",
    splits: "everywhere",
    says: "Only with these states of the failure callback.",
  },
  { name: "failureCallbackState", field: "failureFunctionState", splits: "everywhere" },
  {
    name: "responseStatus",
    field: "responseStatus",
    splits: "everywhere",
    says: "Only with these statuses of the last answer; 0 for no answer.",
    value: whole(),
  },
  {
    name: "callerIp",
    field: "callerIp",
    splits: "everywhere",
    says: "Only started from these addresses.",
  },
  { name: "error", field: "error", splits: "single", says: "Only with this last error." },
  { name: "callerIP", field: "callerIp", splits: "everywhere" },
  {
    name: "flowControlKey",
    field: "flowControlKey",
    splits: "bare",
    says: "Only under these flow-control keys.",
  },
  FROM_DATE,
  TO_DATE,
  COUNT,
  single("order", "Newest or oldest first.", choice(["latestFirst", "earliestFirst"])),
  CURSOR_ROW,
  { name: "source", field: "source", splits: "ignored" },
];

/** The filters, and what else a request to resume or restart runs takes. */
export const RERUN_ROWS: readonly ParameterRow[] = [...DEAD_RUN_ROWS, OVER_ROW];

const LIST_COUNT_MAX = 100;

/** The query of `GET /v2/workflows/dlq`. */
export function readDeadRunQuery(query: string): ListQuery<DeadRunFilter> {
  const values = readParameters(query, DEAD_RUN_ROWS, "lenient");
  return { filter: filterOf(values), ...page(values, LIST_COUNT_MAX) };
}

/** The query and body of a request for many failed runs. */
export function readDeadRunBulk(query: string, body: Uint8Array): BulkQuery<DeadRunFilter> {
  const values = readParameters(query, DEAD_RUN_ROWS, "strict");
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
