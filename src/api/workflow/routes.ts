import type { Route } from "../http/call.ts";
import { admitHook } from "./hooks.ts";
import { deleteRun, deleteRuns, showRun } from "./runs.ts";
import { triggerRun, triggerRuns } from "./trigger.ts";
import { notify, showWaiters, waitFor } from "./waits.ts";

/** Runs of workflows. What their endpoints call counts as publishing, and is not held to a rate. */
export const WORKFLOW_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/trigger/{workflowUrl...}",
    needs: "write",
    handler: triggerRun,
    publishes: true,
    says: "Starts a run of the workflow at a URL; answers once it is stored.",
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
    says: "Cancels the runs that match, and have not ended.",
  },
  {
    method: "GET",
    path: "/v2/workflows/runs/{workflowRunId...}",
    needs: "read",
    handler: showRun,
    publishes: true,
    says: "Lists the steps of a run that has not ended, as its endpoint replays them.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/runs/{workflowRunId...}",
    needs: "write",
    handler: deleteRun,
    publishes: true,
    says: "Cancels a run; with ?cancel=false its endpoint says that it has come to its end.",
  },
  {
    method: "POST",
    path: "/v2/wait/{eventId...}",
    needs: "write",
    handler: waitFor,
    publishes: true,
    says: "Asked by an endpoint: a step of its run waits for an event.",
  },
  {
    method: "POST",
    path: "/v2/notify/{eventId...}",
    needs: "write",
    handler: notify,
    publishes: true,
    says: "Brings an event to all who wait for it; with {workflowRunId}/{eventId} to one run, which may wait for it later.",
  },
  {
    method: "GET",
    path: "/v2/waiters/{eventId...}",
    needs: "read",
    handler: showWaiters,
    lists: true,
    says: "Lists who waits for an event.",
  },
  {
    method: "ANY",
    path: "/v2/workflows/hooks/{hook...}",
    needs: "open",
    admit: admitHook,
    says: "A URL that a workflow has given away: a call to it is an event for its run.",
  },
];
