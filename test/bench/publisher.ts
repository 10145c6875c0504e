import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

import { targetsOf } from "./destination.ts";
import { eachRequest } from "./http-stream.ts";

/**
 * A closed loop of publishers: each connection sends its next message when the last one is
 * acknowledged. Prints one line of JSON when the time or the number of messages is over and every
 * answer is in.
 */
interface Plan {
  readonly port: number;
  /** The URLs that messages go to in turn. */
  readonly targets: readonly string[];
  /** So many hosts in place of them, all on one port; too many for an argument. */
  readonly spread?: { readonly hosts: number; readonly port: number };
  /** Of the accounts that publish in turn. */
  readonly tokens: readonly string[];
  readonly connections: number;
  readonly bodyBytes: number;
  readonly durationMs: number;
  /** Ends when so many messages are acknowledged, in place of a time. */
  readonly messages?: number;
  /** Messages in a request; more than one makes it a batch. */
  readonly batchCount: number;
  /** What each message is to wait before it is sent, if anything. */
  readonly delay?: string;
  /** Whether each message has a deduplication id of its own. */
  readonly hasId?: boolean;
  /** More headers of each message, as lines. */
  readonly headers?: readonly string[];
  /** Where a peer takes messages, in place of our path; the URL is then in `X-Target`. */
  readonly path?: string;
  /** Messages go in turn onto so many queues, and under as many flow-control keys. */
  readonly lines?: number;
  /** Messages go in turn onto so many queues. */
  readonly queues?: number;
}

/** As long as the ids of the SDK. */
const NO_ID = "0".repeat(22);
const plan = JSON.parse(process.argv[2] ?? "{}") as Plan;
const targets = plan.spread === undefined ? plan.targets : targetsOf(plan.spread, plan.spread.port);
const target = targets[0]!;
const requests = requestsOf();
let turn = 0;
const latencies: number[] = [];
let acknowledged = 0;
let refused = 0;
let open = plan.connections;
const startedAt = performance.now();
const endsAt = plan.messages === undefined ? startedAt + plan.durationMs : Infinity;
const messagesMax = plan.messages ?? Infinity;

for (let connection = 0; connection < plan.connections; connection++) start();

function requestsOf(): readonly Buffer[] {
  if (plan.batchCount > 1) return batchRequests(plan.batchCount);
  if (plan.queues !== undefined) return queueRequests(plan.queues);
  if (plan.lines === undefined) return singleRequests();
  return Array.from({ length: plan.lines }, (_, index) => lineRequests(index)).flat();
}

function queueRequests(count: number): Buffer[] {
  const body = "x".repeat(plan.bodyBytes);
  return Array.from({ length: count }, (_, index) =>
    requestOf(`/v2/enqueue/q${index}/${target}`, [], body),
  );
}

function lineRequests(index: number): Buffer[] {
  const body = "x".repeat(plan.bodyBytes);
  const under = [`Svc-Flow-Control-Key: k${index}`, "Svc-Flow-Control-Value: parallelism=10"];
  return [
    requestOf(`/v2/enqueue/q${index}/${target}`, [], body),
    requestOf(`/v2/publish/${target}`, under, body),
  ];
}

function singleRequests(): Buffer[] {
  const { tokens } = plan;
  const body = "x".repeat(plan.bodyBytes);
  const delay = plan.delay === undefined ? [] : [`Svc-Delay: ${plan.delay}`];
  if (plan.hasId === true) delay.push(`Svc-Deduplication-Id: ${NO_ID}`);
  return Array.from({ length: Math.max(tokens.length, targets.length) }, (_, index) => {
    const each = targets[index % targets.length]!;
    const path = plan.path ?? `/v2/publish/${each}`;
    const headers =
      plan.path === undefined ? [...delay, ...(plan.headers ?? [])] : [`X-Target: ${each}`];
    return requestOf(path, headers, body, tokens[index % tokens.length]);
  });
}

/** As many as name each target once. */
function batchRequests(count: number): Buffer[] {
  const more = (plan.headers ?? []).map((line) => line.split(": ", 2) as [string, string]);
  const headers = {
    "content-type": "application/json",
    ...(plan.delay === undefined ? {} : { "svc-delay": plan.delay }),
    ...Object.fromEntries(more),
  };
  const body = "x".repeat(plan.bodyBytes);
  return Array.from({ length: Math.ceil(targets.length / count) }, (_, batch) => {
    const items = Array.from({ length: count }, (__, index) => {
      const destination = targets[(batch * count + index) % targets.length]!;
      return { destination, headers, body };
    });
    return requestOf("/v2/batch", [], JSON.stringify(items));
  });
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
    const request = requests[turn++ % requests.length]!;
    socket.write(plan.hasId === true ? withId(request) : request);
  };
  const feed = eachRequest(() => {
    const now = performance.now();
    latencies.push(now - sentAt);
    if (wasRefused) refused += 1;
    else acknowledged += plan.batchCount;
    if (now < endsAt && acknowledged < messagesMax) send();
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

/** The same request with an id that no other has. */
function withId(request: Buffer): Buffer {
  const copy = Buffer.from(request);
  copy.write(randomBytes(NO_ID.length / 2).toString("hex"), copy.indexOf(NO_ID), "latin1");
  return copy;
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
