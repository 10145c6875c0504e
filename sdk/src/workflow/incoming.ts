/** What goes in and out of an endpoint, whatever server it stands behind. */
import type { Bytes } from "../web-types.ts";

/** What is read of headers; those of the web are such. */
export interface HeaderView extends Iterable<[string, string]> {
  get(name: string): string | null;
  has(name: string): boolean;
}

export interface Incoming {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderView;
  /** What the names of its headers begin with, where that is not `Svc-`; they are read as if it was. */
  readonly prefix?: string;
  /** As it came. */
  readonly body: Bytes;
  /** The same as the web has it, for options that ask for it. */
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
