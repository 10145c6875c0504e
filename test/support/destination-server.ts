/** A destination that remembers what it received and answers as it is told. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Item } from "./account-calls.ts";
import type { Scope } from "./scope.ts";

export interface Received {
  readonly method: string;
  /** The request target, as it was sent. */
  readonly url: string;
  /** By lower-case name; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly delayMs?: number;
  /** Answers only then. */
  readonly until?: Promise<unknown>;
}

/** `nth` counts the requests to that path, from 1. */
export type Respond = (request: Received, nth: number) => Reply | Promise<Reply>;

export class DestinationServer {
  readonly requests: Received[] = [];
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();
  readonly #counts = new Map<string, number>();
  respond: Respond = () => ({});

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request, response);
    });
  }

  static async start(respond: Respond = () => ({})): Promise<DestinationServer> {
    const destination = new DestinationServer();
    destination.respond = respond;
    await new Promise<void>((resolve) => {
      destination.#server.listen(0, "127.0.0.1", resolve);
    });
    return destination;
  }

  /** A destination that is closed when the test is over. */
  static async startFor(scope: Scope, respond?: Respond): Promise<DestinationServer> {
    const destination = await DestinationServer.start(respond);
    scope.after(() => destination.close());
    return destination;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests to a path, query aside. */
  to(path: string): Received[] {
    return this.requests.filter(({ url }) => pathOf(url) === path);
  }

  /** The targets of all requests that begin so, in the order of arrival. */
  order(prefix = "/"): string[] {
    return this.requests.map(({ url }) => url).filter((url) => url.startsWith(prefix));
  }

  /** Leaves requests unanswered, until they are let go by what this answers. */
  hold(isHeld: (request: Received) => boolean = () => true): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.respond = (request) => (isHeld(request) ? { until: promise } : {});
    return resolve;
  }

  /** Resolves once that many requests have come to the path; fails after a while. */
  async received(path: string, count = 1): Promise<[Received, ...Received[]]> {
    const late = Promise.withResolvers<void>();
    late.promise.catch(() => undefined);
    const timer = setTimeout(() => late.reject(this.#missing(path, count)), PATIENCE_MS);
    try {
      while (this.to(path).length < count) {
        const next = new Promise<void>((resolve) => this.#waiting.add(resolve));
        await Promise.race([next, late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
    return this.to(path) as [Received, ...Received[]];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, headers, body, delayMs, until } = await this.#receive(request);
    await until;
    if (delayMs !== undefined) await wait(delayMs, undefined, { ref: false });
    response.writeHead(status ?? 200, { ...headers }).end(body ?? "");
  }

  async #receive(request: IncomingMessage): Promise<Reply> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received: Received = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers as Record<string, string>,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
    };
    const path = pathOf(received.url);
    const nth = (this.#counts.get(path) ?? 0) + 1;
    this.#counts.set(path, nth);
    this.requests.push(received);
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
    return this.respond(received, nth);
  }

  #missing(path: string, count: number): Error {
    const seen = this.requests.map(({ method, url }) => `${method} ${url}`).join(", ");
    return new Error(`expected ${count} requests to ${path}, received: ${seen || "nothing"}`);
  }
}

/** The body of a request, as text. */
export function textOf(request: Pick<Received, "body"> | undefined): string {
  return request!.body.toString();
}

/** The body of a request, which is JSON. */
export function jsonOf(request: Pick<Received, "body"> | undefined): Item {
  return JSON.parse(textOf(request)) as Item;
}

function pathOf(url: string): string {
  return url.split("?")[0] ?? "";
}

const PATIENCE_MS = 40_000;
