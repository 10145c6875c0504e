import * as accounts from "./accounts.ts";
import type { ConsoleRoute } from "../http/call.ts";

/** Every endpoint of the console, under our own path. */
export const OWN_CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  {
    method: "POST",
    path: "/v2/svc/user",
    needs: "operator",
    handler: accounts.createAccount,
    says: "Creates an account. Body: `customer_id`, optionally `plan_name`, `budget` and `limits`. The answer shows its secrets, once.",
  },
  {
    method: "GET",
    path: "/v2/svc/users",
    needs: "console",
    handler: accounts.listAccounts,
    says: "Lists accounts by id, at most 1,000. `after` is the last id of the page before, `count` the size of a page. An account sees only itself.",
  },
  {
    method: "GET",
    path: "/v2/svc/nodes",
    needs: "operator",
    handler: accounts.showNodes,
    says: "Lists the nodes with their version, slots and last heartbeat. `live` is false for one that has been silent for 20 s.",
  },
  {
    method: "GET",
    path: "/v2/svc/user/{id}",
    needs: "console",
    handler: accounts.showAccount,
    says: "Shows an account.",
  },
  {
    method: "POST",
    path: "/v2/svc/rotate-token/{id}",
    needs: "console",
    handler: accounts.rotateToken,
    says: "Generates new tokens and a new password, and shows them once. With `grace=10m` the old tokens stay valid for that long.",
  },
  {
    method: "POST",
    path: "/v2/svc/set-plan/{id}",
    needs: "operator",
    handler: accounts.setPlan,
    says: 'Changes the plan of an account: `{"plan_name": "paid"}`.',
  },
  {
    method: "PATCH",
    path: "/v2/svc/update-budget/{id}",
    needs: "console",
    handler: accounts.updateBudget,
    says: "Sets the monthly budget in dollars; 0 for no limit.",
  },
  {
    method: "PATCH",
    path: "/v2/svc/update-limits/{id}",
    needs: "operator",
    handler: accounts.setLimits,
    says: 'Overrides limits of an account: `{"max_topics": 5}`; null returns to the limit of the plan.',
  },
  {
    method: "GET",
    path: "/v2/svc/stats/{id}",
    needs: "console",
    handler: accounts.showStats,
    says: "Shows the counts of an account by day; `period` is 1h, 3h, 12h, 1d, 3d, 7d or 30d.",
  },
  {
    method: "POST",
    path: "/v2/svc/suspend/{id}",
    needs: "operator",
    handler: accounts.suspendAccount,
    says: "Suspends an account: its tokens are refused, its deliveries wait.",
  },
  {
    method: "POST",
    path: "/v2/svc/activate/{id}",
    needs: "operator",
    handler: accounts.activateAccount,
    says: "Ends a suspension. Waiting messages are sent.",
  },
  {
    method: "POST",
    path: "/v2/svc/pause/{id}",
    needs: "operator",
    handler: accounts.pauseAccount,
    says: "Pauses the deliveries of an account. It can still publish.",
  },
  {
    method: "POST",
    path: "/v2/svc/resume/{id}",
    needs: "operator",
    handler: accounts.resumeAccount,
    says: "Resumes the deliveries of an account.",
  },
  {
    method: "POST",
    path: "/v2/svc/pause",
    needs: "operator",
    handler: accounts.pauseService,
    says: "Pauses all deliveries of the server, on every node.",
  },
  {
    method: "POST",
    path: "/v2/svc/resume",
    needs: "operator",
    handler: accounts.resumeService,
    says: "Resumes all deliveries of the server.",
  },
];

/** The same under the path of the public service, for programs that were written for it. */
export const CONSOLE_ROUTES: readonly ConsoleRoute[] = OWN_CONSOLE_ROUTES.flatMap((route) => [
  route,
  { ...route, path: route.path.replace("/v2/svc/", "/v2/qstash/") },
]);
