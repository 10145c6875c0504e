import type { Route } from "../call.ts";
import { deleteDeadRun, deleteDeadRuns, listDeadRuns, showDeadRun } from "../dead-runs.ts";

/** Runs that have failed. */
export const DEAD_RUN_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/workflows/dlq",
    needs: "read",
    handler: listDeadRuns,
    says: "Lists failed runs, the latest first; so does /v2/dlq?source=workflow.",
  },
  {
    method: "DELETE",
    path: "/v2/workflows/dlq",
    needs: "write",
    handler: deleteDeadRuns,
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
];
