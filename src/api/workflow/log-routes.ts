import type { Route } from "../http/call.ts";
import { listWorkflowEvents, listWorkflowLogs } from "./run-logs.ts";

/** The endpoints of the run log. */
export const WORKFLOW_LOG_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/workflows/logs",
    needs: "read",
    handler: listWorkflowLogs,
    lists: true,
    says: "Lists runs with their steps, newest first.",
  },
  {
    method: "GET",
    path: "/v2/workflows/events",
    needs: "read",
    handler: listWorkflowEvents,
    lists: true,
    says: "Lists events of runs. With `?groupBy=workflowRunId` it lists runs with their steps.",
  },
];
