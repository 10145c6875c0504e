/**
 * The application whose workflows are proved, a process of its own: `endpoint.ts <settings>`, as
 * JSON. It prints its URL, and answers `/witness` with what it has seen.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { answeringOf, nodeHandler } from "../../../sdk/src/adapters/node-request.ts";
import { ownHandlers } from "./own-handlers.ts";
import { publicHandlers } from "./public-handlers.ts";
import type { EndpointSettings, Handlers, Witness } from "./witness.ts";

const settings = JSON.parse(process.argv[2] ?? "") as EndpointSettings;
const witness: Witness = { works: [], calls: [], visits: [], reports: [] };

const server = createServer((request, response) => {
  void respond(request, response).catch((error: unknown) => {
    response.writeHead(500).end(String(error));
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(url());
});

function url(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let handlers: Handlers | undefined;
function handlersOf(): Handlers {
  handlers ??= {
    ...ownHandlers(settings, url(), witness),
    ...publicHandlers(settings, url(), witness),
  };
  return handlers;
}

const own = nodeHandler(
  answeringOf((request) => {
    const handler = handlersOf()[new URL(request.url).pathname.slice(1)]!;
    return handler(request, request.headers.get("svc-message-id") ?? "");
  }),
);

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, first = "", second = "", ...rest] = (request.url ?? "").split("/");
  if (first === "witness") return answer(response, 200, JSON.stringify(witness));
  // How long one lasts that stands under a key must be seen here, down to who sent it being gone.
  if (first === "own" && headerOf(request, "flow-control-key") === "")
    return own(request, response);
  const body = await read(request);
  const messageId = headerOf(request, "message-id");
  if (first === "outside") {
    const [name = "", value = "", refusals] = rest;
    witness.calls.push({ runId: second, name, messageId });
    const isReady = Number(headerOf(request, "retried")) >= Number(refusals);
    return answer(response, isReady ? 200 : 503, isReady ? value : "not yet");
  }
  if (first === "reported") {
    witness.reports.push(second);
    return answer(response, 200, "");
  }
  const handler = handlersOf()[`${first}/${second}`];
  if (handler === undefined) return answer(response, 404, "nothing here");
  const visit = { key: headerOf(request, "flow-control-key"), startedAt: performance.now() };
  const seen = { ...visit, endedAt: null as number | null };
  if (visit.key !== "") witness.visits.push(seen);
  response.once("close", () => (seen.endedAt ??= performance.now()));
  const headers = request.headers as Record<string, string>;
  const sent = new Request(`${url()}${request.url}`, { method: "POST", headers, body });
  const given = await handler(sent, messageId);
  const text = await given.text();
  seen.endedAt ??= performance.now();
  response.writeHead(given.status, Object.fromEntries(given.headers)).end(text);
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}

/** Of a delivery, in the dialect in which it was asked for. */
function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[`svc-${name}`] ?? headers[`upstash-${name}`];
  return typeof value === "string" ? value : "";
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
