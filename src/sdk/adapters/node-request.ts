/** Requests and answers of Node's HTTP server, and of what is built on it, as those of the web. */
import { PostriderError } from "../errors.ts";
import type { BodyInput } from "../web-types.ts";
import type { Handler } from "../workflow/siblings.ts";

export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableEnded?: boolean;
  readonly socket?: unknown;
}

export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** What frameworks add to a request. */
interface FrameworkRequest extends NodeRequest {
  readonly originalUrl?: string;
  readonly protocol?: string;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>;

export function nodeHandler(handler: Handler): NodeHandler {
  return async (request, response) => {
    const answer = await answerOf(handler, request);
    response.statusCode = answer.status;
    for (const [name, value] of answer.headers) response.setHeader(name, value);
    response.end(await answer.text());
  };
}

async function answerOf(handler: Handler, request: FrameworkRequest): Promise<Response> {
  try {
    const { method = "GET" } = request;
    const hasBody = method !== "GET" && method !== "HEAD";
    return await handler(
      new Request(urlOf(request), {
        method,
        headers: headersOf(request),
        ...(hasBody && { body: await rawBodyOf(request) }),
      }),
    );
  } catch (error) {
    const { name, message } = error as Error;
    return Response.json({ error: name, message }, { status: 500 });
  }
}

function urlOf({ headers, originalUrl, url, protocol, socket }: FrameworkRequest): string {
  const isSecure = (socket as { encrypted?: boolean } | undefined)?.encrypted === true;
  const scheme = protocol ?? (isSecure ? "https" : "http");
  return `${scheme}://${String(headers["host"] ?? "localhost")}${originalUrl ?? url ?? "/"}`;
}

function headersOf({ headers }: NodeRequest): Headers {
  const given = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (value !== undefined && !name.startsWith(":")) given.append(name, value);
    }
  }
  return given;
}

/**
 * The body as it came. A body that was parsed and thrown away cannot be had back: written anew it
 * may differ from what was signed, so that is an error and not a guess.
 */
async function rawBodyOf(request: FrameworkRequest): Promise<BodyInput> {
  for (const kept of [request.rawBody, request.body]) {
    if (typeof kept === "string") return kept;
    if (kept instanceof Uint8Array) return new Uint8Array(kept);
  }
  if (request.readableEnded !== true) return readAll(request);
  if (request.body === undefined) return "";
  throw new PostriderError(
    "the body was parsed before the workflow could read it: serve the workflow before the parser, " +
      "or give the parser { verify: keepRawBody }",
  );
}

async function readAll(request: AsyncIterable<unknown>): Promise<BodyInput> {
  const chunks: BlobPart[] = [];
  for await (const chunk of request) chunks.push(chunk as BlobPart);
  return new Blob(chunks).arrayBuffer();
}

type BlobPart = string | Uint8Array<ArrayBuffer>;
