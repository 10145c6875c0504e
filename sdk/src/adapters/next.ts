/** Workflows as routes of Next: `export const { POST } = serve(...)` in the App Router. */
import type { ServeOptions, WorkflowFunction } from "../workflow/options.ts";
import { endpointOf, serve as serveFetch } from "../workflow/serve.ts";
import { serveMany as serveManyFetch } from "../workflow/serve-many.ts";
import type { Handler, Workflow } from "../workflow/siblings.ts";
import { type NodeHandler, nodeHandler } from "./node-request.ts";

export type { NodeRequest, NodeResponse } from "./node-messages.ts";
export type { NodeHandler } from "./node-request.ts";

export interface NextRoute {
  readonly POST: (request: Request) => Promise<Response>;
}

export function serve<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options?: ServeOptions<Payload>,
): NextRoute {
  return routeOf(serveFetch(run, options));
}

export function serveMany(workflows: Readonly<Record<string, Workflow>>): NextRoute {
  return routeOf(serveManyFetch(workflows));
}

/**
 * For the Pages Router: `export default servePages(...)`. The file must also contain `export const
 * config = { api: { bodyParser: false } }`, so that the body stays raw.
 */
export function servePages<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options?: ServeOptions<Payload>,
): NodeHandler {
  return nodeHandler(endpointOf(run, options));
}

function routeOf(handler: Handler): NextRoute {
  return { POST: (request) => handler(request) };
}
