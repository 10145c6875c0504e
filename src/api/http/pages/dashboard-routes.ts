import type { Route } from "../server/call.ts";
import { showAsset, showDashboard } from "./dashboard-pages.ts";

/** The first words of the dashboard's own URLs. None of them is a path of the API. */
export const SCREENS = [
  "messages",
  "runs",
  "dead",
  "schedules",
  "flow",
  "groups",
  "settings",
  "accounts",
  "login",
  "docs",
] as const;

/** The pages of the dashboard and their files. They are no part of the API. */
export const DASHBOARD_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/",
    needs: "open",
    handler: showDashboard,
    says: "The dashboard.",
  },
  ...SCREENS.map((word): Route => ({
    method: "GET",
    path: `/${word}/{path...}`,
    needs: "open",
    handler: showDashboard,
    says: "A screen of the dashboard.",
  })),
  {
    method: "GET",
    path: "/assets/{path...}",
    needs: "open",
    handler: showAsset,
    says: "A file of the dashboard.",
  },
];
