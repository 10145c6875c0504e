import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";

import { eachRequest } from "../http-stream.ts";

/**
 * The neighbor: an account that publishes one small message every few milliseconds, whatever the
 * answers before it take, and is their destination too, so that all times are of one clock. Its
 * first line of output is "ready"; each line of input is a number of milliseconds to measure for,
 * and is answered with the times of that many.
 */
interface Plan {
  readonly port: number;
  /** Of the service. */
  readonly pid: number;
  readonly token: string;
  readonly periodMs: number;
  readonly bodyBytes: number;
}

interface Sent {
  readonly at: number;
  acknowledgedMs: number;
  arrivedMs: number;
  /** What the main thread of the service worked meanwhile, whatever else the machine did. */
  workedMs: number;
  /** What the writing thread worked meanwhile, on SQLite; elsewhere there is none. */
  wroteMs: number;
}

const plan = JSON.parse(process.argv[2] ?? "{}") as Plan;
const sent: Sent[] = [];
const idle: Socket[] = [];
let refused = 0;
/** Where the system tells of the writing thread; empty when there is none. */
let writer: string | undefined;

const destination = createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    for (const [, index] of chunk.toString("latin1").matchAll(/<(\d+)>/g)) {
      const message = sent[Number(index)]!;
      message.arrivedMs = performance.now() - message.at;
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    }
  });
});
destination.listen(0, "127.0.0.1", () => process.stdout.write("ready\n"));
process.stdin.setEncoding("utf8");
process.stdin.on("data", (line: string) => void measure(Number(line)));
process.stdin.on("end", () => process.exit(0));

async function measure(durationMs: number): Promise<void> {
  const first = sent.length;
  refused = 0;
  const startedAt = performance.now();
  for (let at = startedAt; at < startedAt + durationMs; at += plan.periodMs) {
    await until(at);
    publish(at);
  }
  const isOpen = (): boolean =>
    sent.slice(first).some(({ acknowledgedMs, arrivedMs }) => !acknowledgedMs || !arrivedMs);
  const giveUpAt = performance.now() + SETTLE_MS_MAX;
  while (isOpen() && performance.now() < giveUpAt) await until(performance.now() + 20);
  const times = (of: keyof Sent): number[] =>
    sent.slice(first).map((message) => message[of] || SETTLE_MS_MAX);
  const result = {
    acknowledged: times("acknowledgedMs"),
    arrived: times("arrivedMs"),
    worked: times("workedMs"),
    wrote: sent.slice(first).map((message) => message.wroteMs),
    refused,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

function until(at: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
}

function publish(at: number): void {
  const message: Sent = { at, acknowledgedMs: 0, arrivedMs: 0, workedMs: 0, wroteMs: 0 };
  const [workedBefore, wroteBefore] = [workedMs(), wroteMs()];
  const body = `<${sent.push(message) - 1}>`.padEnd(plan.bodyBytes, "x");
  const socket = idle.pop() ?? open();
  const feed = eachRequest(() => {
    message.acknowledgedMs = performance.now() - at;
    message.workedMs = workedMs() - workedBefore;
    message.wroteMs = wroteMs() - wroteBefore;
    socket.removeAllListeners("data");
    idle.push(socket);
  });
  socket.on("data", (chunk: Buffer) => {
    if (chunk.toString("latin1", 0, 10) !== "HTTP/1.1 2") refused += 1;
    feed(chunk);
  });
  socket.write(requestOf(body));
}

function open(): Socket {
  const socket = connect({ port: plan.port, host: "127.0.0.1", noDelay: true });
  socket.on("error", (error) => {
    throw error;
  });
  return socket;
}

function requestOf(body: string): string {
  const address = destination.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  const head = [
    `POST /v2/publish/http://127.0.0.1:${address.port}/hook HTTP/1.1`,
    `Host: 127.0.0.1:${plan.port}`,
    `Authorization: Bearer ${plan.token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function workedMs(): number {
  return usedMs(`/proc/${plan.pid}/schedstat`);
}

function wroteMs(): number {
  writer ??= writerOf(plan.pid);
  return writer === "" ? 0 : usedMs(`${writer}/schedstat`);
}

function writerOf(pid: number): string {
  const tasks = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`);
  return tasks.find((task) => readFileSync(`${task}/comm`, "latin1").startsWith("writer")) ?? "";
}

function usedMs(schedstat: string): number {
  const [usedNs] = readFileSync(schedstat, "latin1").split(" ");
  return Number(usedNs) / 1_000_000;
}

/** What is not answered by then counts as this long. */
const SETTLE_MS_MAX = 10_000;
