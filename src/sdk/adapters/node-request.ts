/** Requests and answers of Node's HTTP server, and of what is built on it, as those of the web. */
import { PostriderError } from "../errors.ts";
import type { Bytes } from "../web-types.ts";
import type { Answer, Answering, HeaderView, Incoming } from "../workflow/incoming.ts";
import type { Handler } from "../workflow/siblings.ts";

export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableEnded?: boolean;
  readonly socket?: unknown;
}

export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** What frameworks add to a request. */
export interface FrameworkRequest extends NodeRequest {
  readonly originalUrl?: string;
  readonly protocol?: string;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>;

export function nodeHandler(answering: Answering): NodeHandler {
  return async (request, response) => {
    const { status, headers, body } = await answerTo(request, answering);
    response.writeHead(status, { ...headers });
    response.end(body);
  };
}

/** An endpoint that knows nothing but the web, behind Node's server. */
export function answeringOf(handler: Handler): Answering {
  return async ({ asRequest }) => {
    const answer = await handler(asRequest());
    const headers = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, body: await answer.text() };
  };
}

export async function answerTo(request: FrameworkRequest, answering: Answering): Promise<Answer> {
  try {
    return await answering(await incomingFrom(request));
  } catch (error) {
    const { name, message } = error as Error;
    const body = JSON.stringify({ error: name, message });
    return { status: 500, headers: { "Content-Type": "application/json" }, body };
  }
}

async function incomingFrom(request: FrameworkRequest): Promise<Incoming> {
  const { method = "GET" } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  const url = urlOf(request);
  const body = hasBody ? await rawBodyOf(request) : new Uint8Array(0);
  const asRequest = (): Request =>
    new Request(url, { method, headers: headersOf(request), ...(hasBody && { body }) });
  return { method, url, headers: new NodeHeaders(request), body, asRequest };
}

/** Headers as Node has them: by their names in lower case. */
class NodeHeaders implements HeaderView {
  readonly #headers: NodeRequest["headers"];

  constructor({ headers }: NodeRequest) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(", ") : (value ?? null);
  }

  has(name: string): boolean {
    return this.#headers[name.toLowerCase()] !== undefined;
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return headersOf({ headers: this.#headers })[Symbol.iterator]();
  }
}

function urlOf({ headers, originalUrl, url, protocol, socket }: FrameworkRequest): string {
  const isSecure = (socket as { encrypted?: boolean } | undefined)?.encrypted === true;
  const scheme = protocol ?? (isSecure ? "https" : "http");
  return `${scheme}://${String(headers["host"] ?? "localhost")}${originalUrl ?? url ?? "/"}`;
}

function headersOf({ headers }: Pick<NodeRequest, "headers">): Headers {
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
async function rawBodyOf(request: FrameworkRequest): Promise<Bytes> {
  for (const kept of [request.rawBody, request.body]) {
    if (typeof kept === "string") return new TextEncoder().encode(kept);
    if (kept instanceof Uint8Array) return new Uint8Array(kept);
  }
  if (request.readableEnded !== true) return readAll(request);
  if (request.body === undefined) return new Uint8Array(0);
  throw new PostriderError(
    "the body was parsed before the workflow could read it: serve the workflow before the parser, " +
      "or give the parser { verify: keepRawBody }",
  );
}

async function readAll(request: AsyncIterable<unknown>): Promise<Bytes> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
    if (!(bytes instanceof Uint8Array)) throw new PostriderError("the body is not made of bytes");
    chunks.push(bytes);
    size += bytes.length;
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
