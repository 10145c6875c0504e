import type { Route } from "../call.ts";
import { deleteRun, showRun } from "../runs.ts";
import { triggerRun, triggerRuns } from "../trigger.ts";

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
];
