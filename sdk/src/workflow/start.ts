import { onceTriggered, triggerHeaders, type TriggerSettings } from "../client/trigger.ts";
import type { Triggered } from "../answers/workflow.ts";
import { segment, type Transport } from "../transport.ts";
import type { HeaderView } from "./incoming.ts";
import { ownHeaders } from "./protocol.ts";

/** Starts a run for a plain request; returns its id. */
export async function startRun(
  transport: Transport,
  request: { url: string; headers: HeaderView; body: string },
  settings: TriggerSettings,
): Promise<string> {
  const headers = triggerHeaders({ ...settings, headers: forwardable(request.headers) });
  const trigger = { headers, body: request.body };
  const { workflowRunId } = await transport.json<Triggered>({
    method: "POST",
    path: `/v2/trigger/${segment(request.url)}`,
    ...(transport.deduplicates ? onceTriggered(trigger) : trigger),
  });
  return workflowRunId;
}

/** Without the headers of the request's connection. */
function forwardable(headers: HeaderView): Headers {
  const kept = ownHeaders(headers);
  for (const [name] of headers) if (OF_A_CONNECTION.test(name)) kept.delete(name);
  return kept;
}

const OF_A_CONNECTION =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|content-encoding|accept-encoding|x-forwarded-.*|forwarded|via|cf-.*|x-real-ip|x-vercel-.*|cdn-loop|http2-settings)$/;
