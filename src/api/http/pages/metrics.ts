import type { IncomingMessage } from "node:http";
import { Problem } from "../../../core/problem.ts";
import { isLoopbackHost } from "../../../core/policy/egress/address.ts";
import { isSame } from "../../../platform/password.ts";
import type { Schema } from "../../../wire/json/schema.ts";
import { METRICS_CONTENT_TYPE, metricsText } from "../../../wire/metrics-text.ts";
import type { Answer } from "../answers/answer.ts";
import type { Api, UnreadCall } from "../server/call.ts";
import { plainAddress } from "../callers/caller-ip.ts";

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
    "Authorization: must be Bearer with the --metrics-token; only a request of the machine itself to localhost needs none",
  );
}

/**
 * A proxy on the machine brings callers from elsewhere, and says so. A web page that was opened
 * under a name which now means this machine is told by its Host.
 */
function isLocal({ headers, socket }: IncomingMessage): boolean {
  const isForwarded = Object.keys(headers).some(
    (name) => name.startsWith("x-forwarded") || FORWARDING.has(name),
  );
  if (isForwarded || !isLoopbackHost(plainAddress(socket.remoteAddress ?? ""))) return false;
  const host = URL.parse(`http://${headers.host}`)?.hostname;
  return host !== undefined && isLoopbackHost(host);
}

/** Prometheus text. */
export const METRICS: Schema = { type: "string", contentMediaType: "text/plain" };

/** What proxies add, besides `X-Forwarded-*`. */
const FORWARDING: ReadonlySet<string> = new Set([
  "cf-connecting-ip",
  "client-ip",
  "fastly-client-ip",
  "forwarded",
  "true-client-ip",
  "via",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-envoy-external-address",
  "x-original-forwarded-for",
  "x-real-ip",
]);
