import { connect, type Socket } from "node:net";

import { eachRequest } from "../http-stream.ts";

/**
 * A closed loop of starters: each starts its next run when the last one has ended. A run of Restate
 * has ended when its call is answered; one of ours when its endpoint says so. Prints one line of
 * JSON when the time or the number of runs is over and every run has ended.
 */
export interface LoadPlan {
  readonly port: number;
  /** The request line and the headers of a start, without the id of its run. */
  readonly head: readonly string[];
  /** The header that names a run; to Restate it is one like any other. */
  readonly runIdHeader: string;
  /** Where the endpoint says which runs have ended; null when the answer says so. */
  readonly newsPort: number | null;
  readonly runsAtOnce: number;
  readonly durationMs: number;
  /** Ends after so many runs, in place of a time. */
  readonly runs?: number | undefined;
}

export interface LoadResult {
  readonly ended: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const BODY = '{"order":17}';
const plan = JSON.parse(process.argv[2] ?? "{}") as LoadPlan;
const waiting = new Map<string, () => void>();
const latenciesMs: number[] = [];
const news = plan.newsPort === null ? null : listen(plan.newsPort);
const startedAt = performance.now();
const endsAt = plan.runs === undefined ? startedAt + plan.durationMs : Infinity;
const runsMax = plan.runs ?? Infinity;
let started = 0;

await Promise.all(Array.from({ length: plan.runsAtOnce }, loop));
news?.end();
report();

async function loop(): Promise<void> {
  const socket = connect({ port: plan.port, host: "127.0.0.1", noDelay: true });
  socket.on("error", (error) => {
    throw error;
  });
  while (performance.now() < endsAt && started < runsMax) {
    const runId = `run-${process.pid}-${started++}`;
    const sentAt = performance.now();
    const ended = news === null ? null : new Promise<void>((end) => waiting.set(runId, end));
    await start(socket, runId);
    await ended;
    latenciesMs.push(performance.now() - sentAt);
  }
  socket.end();
}

function start(socket: Socket, runId: string): Promise<void> {
  const head = [...plan.head, `${plan.runIdHeader}: ${runId}`, `Content-Length: ${BODY.length}`];
  socket.write(`${head.join("\r\n")}\r\n\r\n${BODY}`);
  return new Promise((resolve, reject) => {
    const feed = eachRequest(() => {
      socket.removeAllListeners("data");
      resolve();
    });
    socket.on("data", (chunk: Buffer) => {
      const status = chunk.toString("latin1", 9, 12);
      if (chunk.toString("latin1", 0, 5) === "HTTP/" && status !== "200") {
        reject(new Error(`a run was not started: ${chunk.toString()}`));
      }
      feed(chunk);
    });
  });
}

function listen(port: number): Socket {
  let rest = "";
  const socket = connect({ port, host: "127.0.0.1" });
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const runId of lines) {
      waiting.get(runId)?.();
      waiting.delete(runId);
    }
  });
  return socket;
}

function report(): void {
  latenciesMs.sort((left, right) => left - right);
  const at = (share: number): number => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0;
  const result: LoadResult = {
    ended: latenciesMs.length,
    elapsedMs: performance.now() - startedAt,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
