import { Problem } from "../../../core/problem.ts";
import type { Answer } from "../answers/answer.ts";
import { answerFile, SECURITY_HEADERS } from "../answers/static-file.ts";
import type { Api, Route, UnreadCall } from "../server/call.ts";

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

/** The same page for every screen: the URL chooses within it. */
export function showDashboard({ dashboard }: Api, { request }: UnreadCall): Answer {
  const file = dashboard.page();
  if (file === null) return BEING_BUILT;
  return answerFile(file, request, "no-cache");
}

export function showAsset({ dashboard }: Api, { request, rest }: UnreadCall): Answer {
  const file = dashboard.asset(`/assets/${rest}`);
  if (file === null) throw new Problem("not-found", "this file is not part of the dashboard");
  return answerFile(file, request, "public, max-age=31536000, immutable");
}

const BEING_BUILT: Answer = {
  status: 200,
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta http-equiv="refresh" content="1"><title>Postrider</title></head>
<body><h1>Postrider is running</h1><p>Its dashboard is being built. This page opens it by itself.</p>
<p>If it does not within a minute, the log of the server says why. The API works already.</p></body>
</html>
`,
  contentType: "text/html; charset=utf-8",
  isPublic: true,
  headers: ["Cache-Control", "no-store", ...SECURITY_HEADERS],
};
