import type { Route } from "./http/call.ts";
import {
  deleteDeadLetter,
  deleteDeadLetters,
  listDeadLetterGroups,
  listDeadLetters,
  retryDeadLetter,
  retryDeadLetters,
  showDeadLetter,
} from "./message/dead-letters.ts";
import { admitEcho } from "./http/echo.ts";
import { showHealth, showReadiness } from "./http/health.ts";
import { showMetrics } from "./http/metrics.ts";
import { rotateKeys, showKeys } from "./account/keys.ts";
import { listEvents, listLogs } from "./message/logs.ts";
import { streamLog } from "./message/stream.ts";
import { DEAD_RUN_ROUTES } from "./workflow/dead-run-routes.ts";
import { FLOW_CONTROL_ROUTES } from "./line/key-routes.ts";
import { QUEUE_ROUTES } from "./line/queue-routes.ts";
import { SCHEDULE_ROUTES } from "./schedule/routes.ts";
import { SENDING_ROUTES } from "./message/routes.ts";
import { OWN_ACCOUNT_ROUTES } from "./account/routes.ts";
import { SESSION_ROUTES } from "./account/session.ts";
import { URL_GROUP_ROUTES } from "./url-group/routes.ts";
import { WORKFLOW_LOG_ROUTES } from "./workflow/log-routes.ts";
import { WORKFLOW_ROUTES } from "./workflow/routes.ts";

/** Every endpoint of the service. */
export const ROUTES: readonly Route[] = [
  ...SENDING_ROUTES,
  ...URL_GROUP_ROUTES,
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
    path: "/v2/stream",
    needs: "read",
    handler: streamLog,
    says: "Sends the account's new log entries as server-sent events, until the caller hangs up. `Last-Event-ID` resumes.",
  },
  {
    method: "GET",
    path: "/v2/events",
    needs: "read",
    handler: listEvents,
    lists: true,
    says: "The older name of `/v2/logs`.",
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
    says: "Deletes the dead letters that match. **Without a filter this deletes all of them.**",
  },
  {
    method: "POST",
    path: "/v2/dlq/retry",
    needs: "write",
    handler: retryDeadLetters,
    lists: true,
    says: "Sends the dead letters that match again, as new messages. `over=10m` spreads them evenly over that time, at most `1d`. **Without a filter this sends all of them.**",
  },
  {
    method: "POST",
    path: "/v2/dlq/retry/{dlqId}",
    needs: "write",
    handler: retryDeadLetter,
    says: "Sends one dead letter again, as a new message. Headers replace its settings.",
  },
  {
    method: "GET",
    path: "/v2/dlq/groups",
    needs: "read",
    handler: listDeadLetterGroups,
    lists: true,
    says: "Lists the last errors of the newest 10,000 dead letters, each with its count, the most frequent first; with `source=workflow` those of failed runs. `responseStatus` and `error` of a group are filters of `/v2/dlq`.",
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
    says: "Deletes a dead letter.",
  },
  ...QUEUE_ROUTES,
  ...OWN_ACCOUNT_ROUTES,
  ...SESSION_ROUTES,
  ...FLOW_CONTROL_ROUTES,
  {
    method: "GET",
    path: "/v2/keys",
    needs: "write",
    handler: showKeys,
    says: "Shows the two signing keys. A read-only token may not see them.",
  },
  {
    method: "POST",
    path: "/v2/keys/rotate",
    needs: "write",
    handler: rotateKeys,
    says: "Makes the next signing key the current one and generates a new next one.",
  },
  {
    method: "POST",
    path: "/v2/rotate",
    needs: "write",
    handler: rotateKeys,
    says: "The older name of `/v2/keys/rotate`.",
  },
  {
    method: "GET",
    path: "/healthz",
    needs: "open",
    handler: showHealth,
    says: "Answers 200 while the process runs.",
  },
  {
    method: "GET",
    path: "/readyz",
    needs: "open",
    handler: showReadiness,
    says: "Answers 200 when the server accepts work and its store answers, else 503.",
  },
  {
    method: "GET",
    path: "/metrics",
    needs: "open",
    handler: showMetrics,
    says: "Metrics for Prometheus. From other machines, or through a proxy, it needs `--metrics-token` as a Bearer token.",
  },
  {
    method: "GET",
    path: "/v2/liveness",
    needs: "open",
    handler: showHealth,
    says: "Answers 200 while the process runs.",
  },
  {
    method: "GET",
    path: "/v2/readiness",
    needs: "open",
    handler: showReadiness,
    says: "The same as `/readyz`. The public Python client asks here.",
  },
  {
    method: "ANY",
    path: "/echo/{path...}",
    needs: "open",
    admit: admitEcho,
    says: "Only in dev: a test destination. `?status=` sets its answer, `?times=` how often it fails first, `?delay=` how long it takes.",
  },
];
