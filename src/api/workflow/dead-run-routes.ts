import type { Route } from "../http/call.ts";
import { deleteDeadRun, deleteDeadRuns, listDeadRuns, showDeadRun } from "./dead-runs.ts";
import {
  cancelFailureCallback,
  restartRun,
  restartRuns,
  resumeRun,
  resumeRuns,
  retryFailureCallback,
} from "./rerun.ts";

/** Runs that have failed. */
export const DEAD_RUN_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/workflows/dlq",
    needs: "read",
    handler: listDeadRuns,
    lists: true,
    says: "Lists failed runs, the latest first; so does /v2/dlq?source=workflow.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq",
    needs: "write",
    handler: deleteDeadRuns,
    lists: true,
    says: "Removes the failed runs that match from the dead-letter queue.",
  },
  {
    method: "GET",
    path: "/v2/workflows/dlq/{dlqId}",
    needs: "read",
    handler: showDeadRun,
    says: "Shows a failed run with what it was started with and its last answer.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq/{dlqId}",
    needs: "write",
    handler: deleteDeadRun,
    says: "Removes a failed run from the dead-letter queue.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/resume",
    needs: "write",
    handler: resumeRuns,
    lists: true,
    says: "Takes up the failed runs that match where they failed, as new runs; headers replace their settings.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/resume/{dlqId}",
    needs: "write",
    handler: resumeRun,
    says: "Takes up one failed run where it failed, as a new run.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/restart",
    needs: "write",
    handler: restartRuns,
    lists: true,
    says: "Starts the failed runs that match again, as new runs; headers replace their settings.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/restart/{dlqId}",
    needs: "write",
    handler: restartRun,
    says: "Starts one failed run again, as a new run.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/callback/{dlqId}",
    needs: "write",
    handler: retryFailureCallback,
    says: "Reports a failed run once more, after its failure callback has failed.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq/callback/{dlqId}",
    needs: "write",
    handler: cancelFailureCallback,
    says: "Stops the failure callback of a failed run.",
  },
];
