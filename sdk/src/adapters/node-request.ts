/**
 * Converts requests and responses of Node's HTTP server, and of frameworks built on it, to those of
 * the web.
 */
import { PostriderError } from "../errors.ts";
import { GrowingBytes } from "../growing-bytes.ts";
import type { Bytes } from "../web-types.ts";
import type { Answer, Answering, Incoming } from "../workflow/incoming.ts";
import type { Handler } from "../workflow/siblings.ts";
import { NodeHeaders, webHeadersOf } from "./node-headers.ts";
import type { NodeRequest, NodeResponse } from "./node-messages.ts";

/** Fields that frameworks add to a request. */
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
    // With its length known, Node sends head and body in one piece.
    const length = String(encoder.encode(body).length);
    response.writeHead(status, { ...headers, "Content-Length": length });
    response.end(body);
  };
}

const encoder = new TextEncoder();

/** An endpoint with a web handler behind Node's server. */
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
    new Request(url, { method, headers: webHeadersOf(request.headers), ...(hasBody && { body }) });
  return { method, url, headers: new NodeHeaders(request.headers), body, asRequest };
}

function urlOf({ headers, originalUrl, url, protocol, socket }: FrameworkRequest): string {
  const isSecure = (socket as { encrypted?: boolean } | undefined)?.encrypted === true;
  const scheme = protocol ?? (isSecure ? "https" : "http");
  return `${scheme}://${String(headers["host"] ?? "localhost")}${originalUrl ?? url ?? "/"}`;
}

/**
 * The raw body. A body that was parsed and discarded cannot be recovered: encoded again it may
 * differ from the signed one, so this is an error and not a guess.
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
  const body = new GrowingBytes();
  for await (const chunk of request) {
    const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
    if (!(bytes instanceof Uint8Array)) throw new PostriderError("the body is not made of bytes");
    body.add(bytes);
  }
  return body.take();
}
