/** Workflows as handlers of h3, and so of Nitro and Nuxt: `app.post("/order", serve(...))`. */
import { PostriderError } from "../errors.ts";
import { failed } from "../workflow/answers.ts";
import { responseOf } from "../workflow/incoming.ts";
import type { ServeOptions, WorkflowFunction } from "../workflow/options.ts";
import { serve as serveFetch } from "../workflow/serve.ts";
import { serveMany as serveManyFetch } from "../workflow/serve-many.ts";
import type { Handler, Workflow } from "../workflow/siblings.ts";
import type { NodeRequest } from "./node-messages.ts";
import { answeringOf, answerTo } from "./node-request.ts";

/** The used part of h3's event. */
export interface H3Event {
  /** A web request in h3 2, a Node request in h3 1. */
  readonly req: object;
  /** In h3 1, on runtimes without Node's requests. */
  readonly web?: { readonly request?: Request } | undefined;
  /** Where Nitro puts the variables of runtimes that pass them with each request. */
  readonly context: object;
}

export type H3Handler = (event: H3Event) => Promise<Response>;

export function serve<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options?: ServeOptions<Payload>,
): H3Handler {
  return adapt(serveFetch(run, options));
}

export function serveMany(workflows: Readonly<Record<string, Workflow>>): H3Handler {
  return adapt(serveManyFetch(workflows));
}

function adapt(handler: Handler): H3Handler {
  return async ({ req, web, context }) => {
    const request = web?.request ?? req;
    if (isOfTheWeb(request)) {
      if (request.bodyUsed) return responseOf(failed(new PostriderError(BODY_USED)));
      return handler(request, (context as NitroContext).cloudflare?.env);
    }
    const node = await withKeptBody(request as NodeRequest);
    return responseOf(await answerTo(node, answeringOf(handler)));
  };
}

interface NitroContext {
  readonly cloudflare?: { readonly env?: unknown };
}

function isOfTheWeb(request: object): request is Request {
  return "arrayBuffer" in request;
}

/** h3 1 keeps a body that it has read, so it can be read once more. */
async function withKeptBody(request: NodeRequest): Promise<NodeRequest> {
  const rawBody = await (request as { readonly [KEPT_BODY]?: unknown })[KEPT_BODY];
  return rawBody === undefined ? request : Object.assign(request, { rawBody });
}

const BODY_USED =
  "the body was read before the workflow could: let what comes first read event.req.clone()";
const KEPT_BODY = Symbol.for("h3RawBody");
