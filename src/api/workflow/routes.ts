import type { Route } from "../http/call.ts";
import { admitHook } from "./hooks.ts";
import { deleteRun, deleteRuns, showRun } from "./runs.ts";
import { triggerRun, triggerRuns } from "./trigger.ts";
import { notify, showWaiters, waitFor } from "./waits.ts";

/**
 * The endpoints of workflow runs. Requests of workflow endpoints count as publishing, and have no
 * rate limit.
 */
export const WORKFLOW_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/trigger/{workflowUrl...}",
    needs: "write",
    handler: triggerRun,
    publishes: true,
    says: "Starts a run of the workflow at a URL. Answers once the run is stored.",
  },
  {
    method: "POST",
    path: "/v2/batch/trigger",
    needs: "write",
    handler: triggerRuns,
    publishes: true,
    says: "Starts many runs in one call.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/runs",
    needs: "write",
    handler: deleteRuns,
    lists: true,
    says: "Cancels the runs that match and have not ended, at most `count` (100). **Without a filter any run matches.**",
  },
  {
    method: "GET",
    path: "/v2/workflows/runs/{workflowRunId...}",
    needs: "read",
    handler: showRun,
    publishes: true,
    says: "For endpoints: lists the steps of a running run, as the endpoint replays them.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/runs/{workflowRunId...}",
    needs: "write",
    handler: deleteRun,
    publishes: true,
    says: "Cancels a run. For endpoints: with `?cancel=false` it ends the run as successful.",
  },
  {
    method: "POST",
    path: "/v2/wait/{eventId...}",
    needs: "write",
    handler: waitFor,
    publishes: true,
    says: "For endpoints: makes a step wait for an event.",
  },
  {
    method: "POST",
    path: "/v2/notify/{eventId...}",
    needs: "write",
    handler: notify,
    publishes: true,
    says: "Sends an event to every run that waits for it. With `{workflowRunId}/{eventId}` to one run, which may start waiting later.",
  },
  {
    method: "GET",
    path: "/v2/waiters/{eventId...}",
    needs: "read",
    handler: showWaiters,
    lists: true,
    says: "Lists the runs that wait for an event.",
  },
  {
    method: "ANY",
    path: "/v2/workflows/hooks/{hook...}",
    needs: "open",
    admit: admitHook,
    says: "The URL of a workflow's webhook. A call to it is an event for its run.",
  },
];
