import { Problem } from "../../../core/problem.ts";
import { requireReady } from "../../../operations/readiness.ts";
import { choice, flag, object } from "../../../wire/json/schema.ts";
import { PROBLEM } from "../../../wire/problem-schema.ts";
import { type Answer, json } from "../answers/answer.ts";
import { answerFile } from "../answers/static-file.ts";
import type { Api, Route } from "../server/call.ts";
import { admitEcho, ECHO, ECHO_ROWS } from "./echo.ts";
import { METRICS, showMetrics } from "./metrics.ts";

const HEALTH = object("Health", { status: choice(["ok"]) });
const READINESS = object("Readiness", {
  status: choice(["ready"]),
  ready: flag("Always true.", true),
});

/** The endpoints about the server itself. */
export const SERVER_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/healthz",
    title: "Health",
    needs: "open",
    handler: showHealth,
    says: "Answers 200 while the process runs.",
    answers: { 200: HEALTH },
  },
  {
    method: "GET",
    path: "/readyz",
    title: "Readiness",
    needs: "open",
    handler: showReadiness,
    says: "Answers 200 when the server accepts work and its store answers and takes writes, else 503.",
    answers: { 200: READINESS },
  },
  {
    method: "GET",
    path: "/metrics",
    title: "Metrics",
    needs: "open",
    handler: showMetrics,
    says: "Metrics for Prometheus. From other machines, or through a proxy, it needs `--metrics-token` as a Bearer token.",
    answers: { 200: METRICS, 401: PROBLEM },
  },
  {
    method: "GET",
    path: "/v2/liveness",
    title: "Liveness",
    needs: "open",
    handler: showHealth,
    says: "Answers 200 while the process runs.",
    answers: { 200: HEALTH },
    isOlder: true,
  },
  {
    method: "GET",
    path: "/v2/readiness",
    title: "Readiness for clients",
    needs: "open",
    handler: showReadiness,
    says: "The same as `/readyz`. The public Python client asks here.",
    answers: { 200: READINESS },
    isOlder: true,
  },
  {
    method: "ANY",
    path: "/echo/{path...}",
    title: "Echo",
    needs: "open",
    admit: admitEcho,
    says: "Only in dev: a test destination. `?status=` sets its answer, `?times=` how often it fails first, `?delay=` how long it takes.",
    query: ECHO_ROWS,
    body: "bytes",
    answers: { 200: ECHO },
  },
];

/** The endpoint that describes the others. The dashboard shows it at `/docs`. */
export const REFERENCE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/openapi.json",
    title: "OpenAPI document",
    needs: "open",
    handler: ({ openApi }, { request }) => answerFile(openApi(), request, "public, max-age=300"),
    says: "This API as an OpenAPI 3.1 document. The page `/docs` shows it to people.",
    answers: { 200: { type: "object" } },
  },
];

/** Answers while the process runs, without further checks. */
function showHealth(): Answer {
  return json(200, { status: "ok" });
}

async function showReadiness({ context, phase }: Api): Promise<Answer> {
  if (phase() !== "ready") {
    throw new Problem("overloaded", "the service is starting or stopping", 1);
  }
  await requireReady(context);
  return json(200, { status: "ready", ready: true });
}
