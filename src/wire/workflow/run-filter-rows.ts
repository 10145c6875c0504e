import { callerIpRows } from "../filters/filter-rows.ts";
import type { ParameterRow } from "../filters/filter-parameters.ts";
import { integer } from "../json/schema.ts";

/** Parameters of each list of runs. */

export const WORKFLOW_URL: ParameterRow = {
  name: "workflowUrl",
  field: "workflowUrl",
  splits: "urls",
  says: "Only of workflows at these URLs.",
};
export const WORKFLOW_RUN_ID: ParameterRow = {
  name: "workflowRunId",
  field: "workflowRunId",
  splits: "everywhere",
  says: "Only of these runs.",
};
export const WORKFLOW_CREATED_AT: ParameterRow = {
  name: "workflowCreatedAt",
  field: "workflowCreatedAt",
  splits: "everywhere",
  says: "Only of runs that started at these instants.",
  value: integer(),
};
export const RUN_CALLER_IP = callerIpRows("Only started from these addresses.");
