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

/** The endpoints of failed runs. */
export const DEAD_RUN_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/workflows/dlq",
    needs: "read",
    handler: listDeadRuns,
    lists: true,
    says: "Lists failed runs, newest first. The same as `/v2/dlq?source=workflow`.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq",
    needs: "write",
    handler: deleteDeadRuns,
    lists: true,
    says: "Deletes the failed runs that match from the dead-letter queue. **Without a filter this deletes all of them.**",
  },
  {
    method: "GET",
    path: "/v2/workflows/dlq/{dlqId}",
    needs: "read",
    handler: showDeadRun,
    says: "Shows a failed run: its payload, headers and last answer.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq/{dlqId}",
    needs: "write",
    handler: deleteDeadRun,
    says: "Deletes a failed run from the dead-letter queue.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/resume",
    needs: "write",
    handler: resumeRuns,
    lists: true,
    says: "Resumes the failed runs that match where they failed, as new runs. Headers replace their settings. `over=10m` spreads them evenly over that time, at most `1d`.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/resume/{dlqId}",
    needs: "write",
    handler: resumeRun,
    says: "Resumes one failed run where it failed, as a new run.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/restart",
    needs: "write",
    handler: restartRuns,
    lists: true,
    says: "Restarts the failed runs that match from the beginning, as new runs. Headers replace their settings. `over=10m` spreads them evenly over that time, at most `1d`.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/restart/{dlqId}",
    needs: "write",
    handler: restartRun,
    says: "Restarts one failed run from the beginning, as a new run.",
  },
  {
    method: "POST",
    path: "/v2/workflows/dlq/callback/{dlqId}",
    needs: "write",
    handler: retryFailureCallback,
    says: "Sends the failure callback of a failed run again, after it has failed.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq/callback/{dlqId}",
    needs: "write",
    handler: cancelFailureCallback,
    says: "Cancels the failure callback of a failed run.",
  },
];
