import { CONSOLE_ROUTES, OWN_CONSOLE_ROUTES } from "./account/console-routes.ts";
import { OWN_ACCOUNT_ROUTES } from "./account/routes.ts";
import { SESSION_ROUTES } from "./account/session.ts";
import type { Route, RouteGroup } from "./http/server/call.ts";
import type { PortRoutes } from "./http/server/listeners.ts";
import { DASHBOARD_ROUTES } from "./http/pages/dashboard-routes.ts";
import { DEV_ROUTES } from "./http/pages/dev-routes.ts";
import { REFERENCE_ROUTES, SERVER_ROUTES } from "./http/pages/server-routes.ts";
import { FLOW_CONTROL_ROUTES } from "./line/key-routes.ts";
import { QUEUE_ROUTES } from "./line/queue-routes.ts";
import { DEAD_LETTER_ROUTES } from "./message/dead-letter-routes.ts";
import { LOG_ROUTES } from "./message/log-routes.ts";
import { SENDING_ROUTES } from "./message/routes.ts";
import { SCHEDULE_ROUTES } from "./schedule/routes.ts";
import { URL_GROUP_ROUTES } from "./url-group/routes.ts";
import { DEAD_RUN_ROUTES } from "./workflow/dead-run-routes.ts";
import { WORKFLOW_LOG_ROUTES } from "./workflow/log-routes.ts";
import { WORKFLOW_ROUTES } from "./workflow/routes.ts";

/** Every endpoint of the service but those of the console, by feature. */
const ROUTE_GROUPS: readonly RouteGroup[] = [
  {
    name: "Messages",
    says: "Publish a message once; Postrider delivers it, and retries until it arrives.",
    routes: SENDING_ROUTES,
  },
  {
    name: "URL groups",
    says: "A message to a URL group goes to each of its endpoints.",
    routes: URL_GROUP_ROUTES,
  },
  {
    name: "Queues",
    says: "A queue delivers in order, at most `parallelism` messages at a time.",
    routes: QUEUE_ROUTES,
  },
  {
    name: "Flow control",
    says: "Messages with the same key share a parallelism and a rate.",
    routes: FLOW_CONTROL_ROUTES,
  },
  {
    name: "Schedules",
    says: "A schedule publishes a message each time its cron expression fires.",
    routes: SCHEDULE_ROUTES,
  },
  {
    name: "Logs",
    says: "Each change of a message's state is an entry of the log.",
    routes: LOG_ROUTES,
  },
  {
    name: "Dead letters",
    says: "A message without a retry left is a dead letter, with its last answer.",
    routes: DEAD_LETTER_ROUTES,
  },
  {
    name: "Workflows",
    says: "A run is one execution of a workflow. Its endpoint submits the steps; Postrider keeps them.",
    routes: WORKFLOW_ROUTES,
  },
  {
    name: "Workflow logs",
    says: "Runs with their steps, results and errors.",
    routes: WORKFLOW_LOG_ROUTES,
  },
  {
    name: "Failed runs",
    says: "Resume a failed run where it failed, or restart it from the beginning.",
    routes: DEAD_RUN_ROUTES,
  },
  {
    name: "Account",
    says: "The account of the token: its limits, counts, tokens and signing keys.",
    routes: [...OWN_ACCOUNT_ROUTES, ...SESSION_ROUTES],
  },
  {
    name: "Server",
    says: "Health, metrics and this reference.",
    routes: [...SERVER_ROUTES, ...REFERENCE_ROUTES],
  },
  {
    name: "Development",
    says: "Only in `dev`: a clock that you put forward, and what the rules would do.",
    routes: DEV_ROUTES,
  },
];

export const ROUTES: readonly Route[] = ROUTE_GROUPS.flatMap(({ routes }) => routes);

/** What the reference describes: these, and the console under its own path. */
export const DOCUMENTED_GROUPS: readonly RouteGroup[] = [
  ...ROUTE_GROUPS,
  {
    name: "Console",
    says: "Accounts, plans, limits and nodes, for the operator. Needs Basic auth. The same paths work under `/v2/qstash`.",
    routes: OWN_CONSOLE_ROUTES,
  },
];

export function portRoutes(isDev: boolean): PortRoutes {
  const own = isDev ? ROUTES : ROUTES.filter((route) => !DEV_ROUTES.includes(route));
  return {
    all: [...own, ...CONSOLE_ROUTES, ...DASHBOARD_ROUTES],
    withoutConsole: [...own, ...DASHBOARD_ROUTES],
    console: [...CONSOLE_ROUTES, ...SESSION_ROUTES, ...REFERENCE_ROUTES, ...DASHBOARD_ROUTES],
    commands: CONSOLE_ROUTES,
  };
}
