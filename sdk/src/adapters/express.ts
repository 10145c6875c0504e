/** Workflows as handlers of Express and of Node's own server: `app.post("/order", serve(...))`. */
import type { ServeOptions, WorkflowFunction } from "../workflow/options.ts";
import { endpointOf } from "../workflow/serve.ts";
import { serveMany as serveManyFetch } from "../workflow/serve-many.ts";
import type { Workflow } from "../workflow/siblings.ts";
import { answeringOf, type NodeHandler, nodeHandler } from "./node-request.ts";

export type { NodeRequest, NodeResponse } from "./node-messages.ts";
export type { NodeHandler } from "./node-request.ts";

export function serve<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options?: ServeOptions<Payload>,
): NodeHandler {
  return nodeHandler(endpointOf(run, options));
}

export function serveMany(workflows: Readonly<Record<string, Workflow>>): NodeHandler {
  return nodeHandler(answeringOf(serveManyFetch(workflows)));
}

/** For a parser that comes before: `express.json({ verify: keepRawBody })`. */
export function keepRawBody(request: object, _response: object, body: Uint8Array): void {
  Object.assign(request, { rawBody: body });
}
