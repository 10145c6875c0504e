/** The input and output of an endpoint, whatever server it runs in. */
import type { Bytes } from "../web-types.ts";

/** The used part of headers; web headers have it. */
export interface HeaderView extends Iterable<[string, string]> {
  get(name: string): string | null;
  has(name: string): boolean;
}

export interface Incoming {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderView;
  /** The prefix of its headers, where that is not `Svc-`; they are read as if it were. */
  readonly prefix?: string;
  /** The raw body. */
  readonly body: Bytes;
  /** The same as a web request, for options that need it. */
  readonly asRequest: () => Request;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An endpoint behind any server. Edge runtimes pass their variables with each request. */
export type Answering = (incoming: Incoming, environment?: unknown) => Promise<Answer>;

export async function incomingOf(request: Request): Promise<Incoming> {
  const { method, url, headers } = request;
  const body = method === "GET" || method === "HEAD" ? EMPTY : await request.arrayBuffer();
  return { method, url, headers, body: new Uint8Array(body), asRequest: () => request };
}

export function responseOf({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers });
}

const EMPTY = new ArrayBuffer(0);
