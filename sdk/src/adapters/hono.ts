/** Workflows as handlers of Hono: `app.post("/order", serve(...))`. */
import type { ServeOptions, WorkflowFunction } from "../workflow/options.ts";
import { serve as serveFetch } from "../workflow/serve.ts";
import { serveMany as serveManyFetch } from "../workflow/serve-many.ts";
import type { Handler, Workflow } from "../workflow/siblings.ts";

/** The used part of Hono's context. */
export interface HonoContext {
  readonly req: { readonly raw: Request; readonly arrayBuffer: () => Promise<ArrayBuffer> };
  /** Variables of the runtime, on those that pass them with each request. */
  readonly env: unknown;
}

export type HonoHandler = (context: HonoContext) => Promise<Response>;

export function serve<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options?: ServeOptions<Payload>,
): HonoHandler {
  return adapt(serveFetch(run, options));
}

export function serveMany(workflows: Readonly<Record<string, Workflow>>): HonoHandler {
  return adapt(serveManyFetch(workflows));
}

/** Hono caches a body that a middleware has read, so it can be read once more. */
function adapt(handler: Handler): HonoHandler {
  return async ({ req, env }) => {
    const { url, method, headers } = req.raw;
    if (method !== "POST") return handler(req.raw, env);
    const body = await req.arrayBuffer();
    return handler(new Request(url, { method, headers, body }), env);
  };
}
