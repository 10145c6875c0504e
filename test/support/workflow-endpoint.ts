/** An application that serves workflows with an SDK, over real HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Received } from "./destination-server.ts";
import { until } from "./eventually.ts";

export type FetchHandler = (request: Request) => Promise<Response>;

export class WorkflowEndpoint {
  /** Every call, in the order of arrival. */
  readonly calls: Received[] = [];
  /** What was answered, in the order of the answers. */
  readonly answers: { readonly path: string; readonly status: number; readonly text: string }[] =
    [];
  readonly #handlers = new Map<string, FetchHandler>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#respond(request, response);
    });
  }

  static async start(): Promise<WorkflowEndpoint> {
    const endpoint = new WorkflowEndpoint();
    await new Promise<void>((resolve) => {
      endpoint.#server.listen(0, "127.0.0.1", resolve);
    });
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Serves a workflow, and answers its URL. */
  serve(path: string, handler: FetchHandler): string {
    this.#handlers.set(path, handler);
    return `${this.url}${path}`;
  }

  /** Calls to a path so far. */
  to(path: string): Received[] {
    return this.calls.filter(({ url }) => url.split("?")[0] === path);
  }

  /** Resolves once something has come to be. */
  async until(happened: () => boolean): Promise<void> {
    await until(happened, "what the workflow was to do");
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request);
    const text = await answer.text();
    this.answers.push({ path: request.url ?? "", status: answer.status, text });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
  }

  async #answer(request: IncomingMessage): Promise<Response> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = "", url = "", rawHeaders } = request;
    const headers = request.headers as Record<string, string>;
    this.calls.push({ method, url, headers, rawHeaders, body });
    const handler = this.#handlers.get(url.split("?")[0] ?? "");
    if (handler === undefined) return new Response("nothing here", { status: 404 });
    const sent = new Request(`http://${headers["host"]}${url}`, {
      method,
      headers,
      ...(method === "GET" ? {} : { body }),
    });
    return handler(sent);
  }
}
