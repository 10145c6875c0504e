import { connect, type Socket } from "node:net";

import { eachRequest } from "./http-stream.ts";

/**
 * A closed loop of publishers: each connection sends its next message when the last one is
 * acknowledged. Prints one line of JSON when the time is over and every answer is in.
 */
interface Plan {
  readonly port: number;
  readonly target: string;
  /** Of the accounts that publish in turn. */
  readonly tokens: readonly string[];
  readonly connections: number;
  readonly bodyBytes: number;
  readonly durationMs: number;
  /** Messages in a request; more than one makes it a batch. */
  readonly batchCount: number;
  /** What each message is to wait before it is sent, if anything. */
  readonly delay?: string;
  /** Where a peer takes messages, in place of our path. */
  readonly path?: string;
  /** Messages go in turn onto so many queues, and under as many flow-control keys. */
  readonly lines?: number;
}

const plan = JSON.parse(process.argv[2] ?? "{}") as Plan;
const requests = requestsOf();
let turn = 0;
const latencies: number[] = [];
let acknowledged = 0;
let refused = 0;
let open = plan.connections;
const startedAt = performance.now();
const endsAt = startedAt + plan.durationMs;

for (let connection = 0; connection < plan.connections; connection++) start();

function requestsOf(): readonly Buffer[] {
  if (plan.batchCount > 1) return [batchRequest(plan.batchCount)];
  if (plan.lines === undefined) return plan.tokens.map((token) => singleRequest(token));
  return Array.from({ length: plan.lines }, (_, index) => lineRequests(index)).flat();
}

function lineRequests(index: number): Buffer[] {
  const body = "x".repeat(plan.bodyBytes);
  const under = [`Svc-Flow-Control-Key: k${index}`, "Svc-Flow-Control-Value: parallelism=10"];
  return [
    requestOf(`/v2/enqueue/q${index}/${plan.target}`, [], body),
    requestOf(`/v2/publish/${plan.target}`, under, body),
  ];
}

function singleRequest(token: string): Buffer {
  const body = "x".repeat(plan.bodyBytes);
  const delay = plan.delay === undefined ? [] : [`Svc-Delay: ${plan.delay}`];
  return requestOf(plan.path ?? `/v2/publish/${plan.target}`, delay, body, token);
}

function batchRequest(count: number): Buffer {
  const headers = {
    "content-type": "application/json",
    ...(plan.delay === undefined ? {} : { "svc-delay": plan.delay }),
  };
  const item = { destination: plan.target, headers, body: "x".repeat(plan.bodyBytes) };
  return requestOf("/v2/batch", [], JSON.stringify(Array.from({ length: count }, () => item)));
}

function requestOf(
  path: string,
  headers: readonly string[],
  body: string,
  token = plan.tokens[0]!,
): Buffer {
  return Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${plan.port}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      ...headers,
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
}

function start(): void {
  const socket: Socket = connect({ port: plan.port, host: "127.0.0.1", noDelay: true });
  let sentAt = 0;
  let wasRefused = false;
  const send = (): void => {
    sentAt = performance.now();
    socket.write(requests[turn++ % requests.length]!);
  };
  const feed = eachRequest(() => {
    const now = performance.now();
    latencies.push(now - sentAt);
    if (wasRefused) refused += 1;
    else acknowledged += plan.batchCount;
    if (now < endsAt) send();
    else socket.end();
  });
  socket.on("connect", send);
  socket.on("data", (chunk: Buffer) => {
    wasRefused = chunk.toString("latin1", 0, 10) !== "HTTP/1.1 2";
    feed(chunk);
  });
  socket.on("close", () => {
    open -= 1;
    if (open === 0) report();
  });
  socket.on("error", (error) => {
    throw error;
  });
}

function report(): void {
  latencies.sort((left, right) => left - right);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  const result = {
    acknowledged,
    refused,
    startedAt: performance.timeOrigin + startedAt,
    elapsedMs: performance.now() - startedAt,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: latencies.at(-1) ?? 0,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
