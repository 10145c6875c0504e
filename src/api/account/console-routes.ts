import * as accounts from "./accounts.ts";
import type { ConsoleRoute } from "../http/call.ts";

/** Every endpoint of the console, under the path that is ours. */
export const OWN_CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  {
    method: "POST",
    path: "/v2/svc/user",
    needs: "operator",
    handler: accounts.createAccount,
    says: "Creates an account from `customer_id`, and if wanted `plan_name`, `budget` and `limits`; shows its secrets, once.",
  },
  {
    method: "GET",
    path: "/v2/svc/users",
    needs: "console",
    handler: accounts.listAccounts,
    says: "Lists accounts by id, at most 1,000; `after` an id, `count`. An account sees itself.",
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
    says: "Draws new tokens and a new password, and shows them, once; with `grace=10m` the old tokens are taken that much longer.",
  },
  {
    method: "POST",
    path: "/v2/svc/set-plan/{id}",
    needs: "operator",
    handler: accounts.setPlan,
    says: 'Puts an account on a plan: `{"plan_name": "paid"}`.',
  },
  {
    method: "PATCH",
    path: "/v2/svc/update-budget/{id}",
    needs: "console",
    handler: accounts.updateBudget,
    says: "Sets the monthly budget, in dollars; 0 for no bound.",
  },
  {
    method: "PATCH",
    path: "/v2/svc/update-limits/{id}",
    needs: "operator",
    handler: accounts.setLimits,
    says: 'Gives an account limits of its own: `{"max_topics": 5}`; null makes one follow the plan again.',
  },
  {
    method: "GET",
    path: "/v2/svc/stats/{id}",
    needs: "console",
    handler: accounts.showStats,
    says: "Counts what an account did, by day; `period` is 1h, 3h, 12h, 1d, 3d, 7d or 30d.",
  },
  {
    method: "POST",
    path: "/v2/svc/suspend/{id}",
    needs: "operator",
    handler: accounts.suspendAccount,
    says: "Suspends an account: its tokens are refused and its deliveries wait.",
  },
  {
    method: "POST",
    path: "/v2/svc/activate/{id}",
    needs: "operator",
    handler: accounts.activateAccount,
    says: "Ends a suspension; what waited is sent.",
  },
  {
    method: "POST",
    path: "/v2/svc/pause/{id}",
    needs: "operator",
    handler: accounts.pauseAccount,
    says: "Lets the deliveries of an account wait; it can still publish.",
  },
  {
    method: "POST",
    path: "/v2/svc/resume/{id}",
    needs: "operator",
    handler: accounts.resumeAccount,
    says: "Lets them go on.",
  },
  {
    method: "POST",
    path: "/v2/svc/pause",
    needs: "operator",
    handler: accounts.pauseService,
    says: "Lets all deliveries of the service wait, on every node.",
  },
  {
    method: "POST",
    path: "/v2/svc/resume",
    needs: "operator",
    handler: accounts.resumeService,
    says: "Lets them go on.",
  },
];

/** The same under the path of the public service, for programs that were written for it. */
export const CONSOLE_ROUTES: readonly ConsoleRoute[] = OWN_CONSOLE_ROUTES.flatMap((route) => [
  route,
  { ...route, path: route.path.replace("/v2/svc/", "/v2/qstash/") },
]);
