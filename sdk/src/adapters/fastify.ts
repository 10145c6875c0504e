/** Workflows as routes of Fastify: `app.post("/order", serve(...))`. */
import type { ServeOptions, WorkflowFunction } from "../workflow/options.ts";
import type { Answering } from "../workflow/incoming.ts";
import { endpointOf } from "../workflow/serve.ts";
import { serveMany as serveManyFetch } from "../workflow/serve-many.ts";
import type { Workflow } from "../workflow/siblings.ts";
import type { NodeRequest } from "./node-messages.ts";
import { answeringOf, answerTo } from "./node-request.ts";

/** The used part of Fastify's request. */
export interface FastifyRequest {
  readonly raw: Omit<NodeRequest, typeof Symbol.asyncIterator>;
  readonly originalUrl: string;
  readonly protocol: string;
}

/** The used part of Fastify's reply. */
export interface FastifyReply {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: string): unknown;
  /** Calls back once it was sent. */
  then(sent: () => void, failed: (error: Error) => void): void;
}

/** The options of a route, to be given in place of its handler. */
export interface FastifyRoute {
  readonly preParsing: (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: AsyncIterable<unknown>,
  ) => Promise<void>;
  readonly handler: () => never;
}

export function serve<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options?: ServeOptions<Payload>,
): FastifyRoute {
  return routeOf(endpointOf(run, options));
}

export function serveMany(workflows: Readonly<Record<string, Workflow>>): FastifyRoute {
  return routeOf(answeringOf(serveManyFetch(workflows)));
}

/** Answers before the body is parsed: the signature covers the raw body, of whatever type. */
function routeOf(answering: Answering): FastifyRoute {
  return {
    preParsing: async ({ raw, originalUrl, protocol }, reply, payload) => {
      const { method, headers } = raw;
      const body = { [Symbol.asyncIterator]: () => payload[Symbol.asyncIterator]() };
      const answer = await answerTo({ method, headers, originalUrl, protocol, ...body }, answering);
      reply.code(answer.status);
      reply.headers({ ...answer.headers });
      reply.send(answer.body);
      // Until then Fastify would continue to the parser.
      await new Promise<void>((resolve, reject) => reply.then(resolve, reject));
    },
    handler: () => {
      throw new Error("a workflow answers before its route's handler is called");
    },
  };
}
