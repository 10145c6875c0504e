import { EventEmitter, once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

import { eachRequest } from "./http-stream.ts";
import type { Findings } from "./findings.ts";
import { BENCH_TOKEN, startPostgresNode, startSqlite, type Subject } from "./subjects.ts";

/** How long one message takes from publish to arrival when nothing else runs. */
export const IDLE_VARIANTS: Readonly<Record<string, () => Promise<Subject>>> = {
  "sqlite-idle": () => startSqlite(),
  "postgres-idle": () => startPostgresNode(),
};

export interface IdlePlan {
  readonly messages: number;
  readonly warmUpMessages: number;
  readonly bodyBytes: number;
}

interface Sent {
  readonly acknowledgedMs: number;
  readonly arrivedMs: number;
}

export interface IdleLatency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Between two messages, so that each finds a service with nothing under way. */
const PAUSE_MS = 10;
const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/** Publisher and destination are this process, so that both times are of one clock. */
export async function measureIdle(
  variant: string,
  plan: IdlePlan,
  findings: Findings,
): Promise<void> {
  const subject = await IDLE_VARIANTS[variant]!();
  const events = new EventEmitter();
  const tell = (event: "acknowledged" | "arrived") => () => events.emit(event, performance.now());
  const destination = await listen(tell("arrived"));
  const socket = connect({ port: subject.port, host: "127.0.0.1", noDelay: true });
  socket.on("error", (error) => {
    throw error;
  });
  socket.on("data", eachRequest(tell("acknowledged")));
  const request = requestOf(subject, destination, plan.bodyBytes);
  const send = async (): Promise<Sent> => {
    const both = Promise.all([once(events, "acknowledged"), once(events, "arrived")]);
    const sentAt = performance.now();
    socket.write(request);
    const [[acknowledgedAt], [arrivedAt]] = (await both) as [[number], [number]];
    return { acknowledgedMs: acknowledgedAt - sentAt, arrivedMs: arrivedAt - sentAt };
  };
  for (let message = 0; message < plan.warmUpMessages; message++) await send();
  const sent: Sent[] = [];
  for (let message = 0; message < plan.messages; message++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    sent.push(await send());
  }
  socket.end();
  destination.close();
  await subject.stop();
  console.log(`${subject.name}, ${plan.messages} messages, one at a time:`);
  const acknowledgment = quantiles(sent.map(({ acknowledgedMs }) => acknowledgedMs));
  const arrival = quantiles(sent.map(({ arrivedMs }) => arrivedMs));
  print("publish to acknowledgment", acknowledgment);
  print("publish to arrival", arrival);
  const times = [acknowledgment, arrival].flatMap(({ p50Ms, p99Ms }) => [p50Ms, p99Ms]);
  const cells = [subject.name, ...times.map((ms) => ms.toFixed(1))];
  findings.add("idle", { cells, bar: { name: subject.name, value: arrival.p50Ms } });
}

function requestOf(subject: Subject, destination: Server, bodyBytes: number): string {
  const target = `http://127.0.0.1:${portOf(destination)}/hook`;
  const head = [
    `POST /v2/publish/${target} HTTP/1.1`,
    `Host: 127.0.0.1:${subject.port}`,
    `Authorization: Bearer ${BENCH_TOKEN}`,
    "Content-Type: application/json",
    `Content-Length: ${bodyBytes}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${"x".repeat(bodyBytes)}`;
}

function listen(onArrival: () => void): Promise<Server> {
  const server = createServer({ noDelay: true }, (socket: Socket) => {
    socket.on(
      "data",
      eachRequest(() => {
        onArrival();
        socket.write(ANSWER);
      }),
    );
    socket.on("error", () => socket.destroy());
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  return address.port;
}

function quantiles(latenciesMs: readonly number[]): IdleLatency {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

function print(name: string, { p50Ms, p99Ms }: IdleLatency): void {
  console.log(`  ${name.padEnd(28)} p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms`);
}
