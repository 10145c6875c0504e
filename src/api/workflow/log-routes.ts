import { RUN_LOG_ROWS } from "../../wire/workflow/run-log-query.ts";
import { RUN_EVENT_PAGE, RUN_PAGE } from "../../wire/workflow/run-schemas.ts";
import type { Route } from "../http/server/call.ts";
import { listWorkflowEvents, listWorkflowLogs } from "./run-logs.ts";

/** The endpoints of the run log. */
export const WORKFLOW_LOG_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/workflows/logs",
    title: "List runs",
    needs: "read",
    handler: listWorkflowLogs,
    lists: true,
    says: "Lists runs with their steps, newest first.",
    query: RUN_LOG_ROWS,
    answers: { 200: RUN_PAGE },
  },
  {
    method: "GET",
    path: "/v2/workflows/events",
    title: "List events of runs",
    needs: "read",
    handler: listWorkflowEvents,
    lists: true,
    says: "Lists events of runs. With `?groupBy=workflowRunId` it lists runs with their steps.",
    query: RUN_LOG_ROWS,
    answers: { 200: RUN_EVENT_PAGE },
  },
];
