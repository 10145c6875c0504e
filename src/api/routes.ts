import type { Route } from "./http/call.ts";
import {
  deleteDeadLetter,
  deleteDeadLetters,
  listDeadLetters,
  retryDeadLetter,
  retryDeadLetters,
  showDeadLetter,
} from "./message/dead-letters.ts";
import { admitEcho } from "./http/echo.ts";
import { showHealth, showReadiness } from "./http/health.ts";
import { rotateKeys, showKeys } from "./account/keys.ts";
import { listEvents, listLogs } from "./message/logs.ts";
import { DEAD_RUN_ROUTES } from "./workflow/dead-run-routes.ts";
import { FLOW_CONTROL_ROUTES } from "./line/key-routes.ts";
import { QUEUE_ROUTES } from "./line/queue-routes.ts";
import { SCHEDULE_ROUTES } from "./schedule/routes.ts";
import { SENDING_ROUTES } from "./message/routes.ts";
import { TOPIC_ROUTES } from "./url-group/routes.ts";
import { WORKFLOW_LOG_ROUTES } from "./workflow/log-routes.ts";
import { WORKFLOW_ROUTES } from "./workflow/routes.ts";

/** Every endpoint of the service. */
export const ROUTES: readonly Route[] = [
  ...SENDING_ROUTES,
  ...TOPIC_ROUTES,
  ...SCHEDULE_ROUTES,
  ...WORKFLOW_ROUTES,
  ...WORKFLOW_LOG_ROUTES,
  ...DEAD_RUN_ROUTES,
  {
    method: "GET",
    path: "/v2/logs",
    needs: "read",
    handler: listLogs,
    lists: true,
    says: "Lists log entries, newest first.",
  },
  {
    method: "GET",
    path: "/v2/events",
    needs: "read",
    handler: listEvents,
    lists: true,
    says: "The same list under its older name.",
  },
  {
    method: "GET",
    path: "/v2/dlq",
    needs: "read",
    handler: listDeadLetters,
    lists: true,
    says: "Lists dead letters, newest first.",
  },
  {
    method: "DELETE",
    path: "/v2/dlq",
    needs: "write",
    handler: deleteDeadLetters,
    lists: true,
    says: "Removes the dead letters that match.",
  },
  {
    method: "POST",
    path: "/v2/dlq/retry",
    needs: "write",
    handler: retryDeadLetters,
    lists: true,
    says: "Trades the dead letters that match for new messages.",
  },
  {
    method: "POST",
    path: "/v2/dlq/retry/{dlqId}",
    needs: "write",
    handler: retryDeadLetter,
    says: "Trades one dead letter for a new message; headers replace its settings.",
  },
  {
    method: "GET",
    path: "/v2/dlq/{dlqId}",
    needs: "read",
    handler: showDeadLetter,
    says: "Shows a dead letter with its last answer.",
  },
  {
    method: "DELETE",
    path: "/v2/dlq/{dlqId}",
    needs: "write",
    handler: deleteDeadLetter,
    says: "Removes a dead letter.",
  },
  ...QUEUE_ROUTES,
  ...FLOW_CONTROL_ROUTES,
  {
    method: "GET",
    path: "/v2/keys",
    needs: "write",
    handler: showKeys,
    says: "Shows the two signing keys; not to a read-only token.",
  },
  {
    method: "POST",
    path: "/v2/keys/rotate",
    needs: "write",
    handler: rotateKeys,
    says: "Makes the next signing key the current one, and draws a new next one.",
  },
  {
    method: "POST",
    path: "/v2/rotate",
    needs: "write",
    handler: rotateKeys,
    says: "The same under its older name.",
  },
  {
    method: "GET",
    path: "/healthz",
    needs: "open",
    handler: showHealth,
    says: "The process answers.",
  },
  {
    method: "GET",
    path: "/readyz",
    needs: "open",
    handler: showReadiness,
    says: "The service takes work and its store answers; else 503.",
  },
  {
    method: "GET",
    path: "/v2/liveness",
    needs: "open",
    handler: showHealth,
    says: "The process answers.",
  },
  {
    method: "GET",
    path: "/v2/readiness",
    needs: "open",
    handler: showReadiness,
    says: "The same as `/readyz`, where the public Python client asks.",
  },
  {
    method: "ANY",
    path: "/echo/{path...}",
    needs: "open",
    admit: admitEcho,
    says: "In dev, a destination that answers: ?status=, ?times= failing first, ?delay=.",
  },
];
