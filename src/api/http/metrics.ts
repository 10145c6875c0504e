import type { IncomingMessage } from "node:http";

import { Problem } from "../../core/problem.ts";
import { isLoopbackHost } from "../../core/policy/egress/loopback-host.ts";
import { isSame } from "../../platform/password.ts";
import type { Schema } from "../../wire/json/schema.ts";
import { METRICS_CONTENT_TYPE, metricsText } from "../../wire/metrics-text.ts";
import type { Answer } from "./answer.ts";
import type { Api, UnreadCall } from "./call.ts";
import { plainAddress } from "./caller-ip.ts";

/** For monitoring on the same machine, or with the token of the metrics. */
export async function showMetrics(api: Api, { request }: UnreadCall): Promise<Answer> {
  requireMonitor(request, api.metricsToken);
  const { refusals, version } = api;
  const { user, system } = process.cpuUsage();
  const metrics = await api.metrics.read({
    version,
    refusals: refusals.counts,
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1_000_000,
    startedAtSeconds: api.startedAtSeconds,
  });
  return { status: 200, body: metricsText(metrics), contentType: METRICS_CONTENT_TYPE };
}

function requireMonitor(request: IncomingMessage, token: string | undefined): void {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (given !== undefined && token !== undefined && isSame(given, token)) return;
  if (given === undefined && isLocal(request)) return;
  throw new Problem(
    "unauthorized",
    "Authorization: must be Bearer with the --metrics-token; only the machine itself needs none",
  );
}

/** A proxy on the machine brings callers from elsewhere, and says so. */
function isLocal({ headers, socket }: IncomingMessage): boolean {
  const isForwarded = FORWARDING.some((name) => headers[name] !== undefined);
  return !isForwarded && isLoopbackHost(plainAddress(socket.remoteAddress ?? ""));
}

/** Prometheus text. */
export const METRICS: Schema = { type: "string", contentMediaType: "text/plain" };

const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];
