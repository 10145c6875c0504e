import assert from "node:assert/strict";

import { faultsOf, PERIOD_MS } from "./line-judge.ts";
import { LineSink } from "./line-sink.ts";
import { call, nodesOn, type ServiceProcess } from "./service-process.ts";

/** A queue or a flow-control key, and its limits. */
export interface ProvedLine {
  readonly kind: "queue" | "key";
  readonly name: string;
  readonly parallelism?: number;
  readonly rate?: number;
  readonly hasCallbacks?: boolean;
  /** Pause of its publisher, so that less comes in than may go out. */
  readonly everyMs: number;
}

export interface LinesReport {
  readonly nodes: number;
  readonly kills: number;
  readonly acknowledged: number;
  readonly visits: number;
  readonly unfinished: number;
  readonly faults: readonly string[];
}

const LINES: readonly ProvedLine[] = [
  { kind: "queue", name: "strict", parallelism: 1, everyMs: 250 },
  { kind: "queue", name: "reporting", parallelism: 1, hasCallbacks: true, everyMs: 400 },
  { kind: "queue", name: "third", parallelism: 1, everyMs: 250 },
  { kind: "queue", name: "wide", parallelism: 3, everyMs: 120 },
  { kind: "key", name: "narrow", parallelism: 2, everyMs: 100 },
  { kind: "key", name: "slow", rate: 5, everyMs: 400 },
  { kind: "key", name: "both", parallelism: 3, rate: 8, everyMs: 250 },
];

/**
 * Publishes onto queues and under keys through several nodes on one database, kills one of them
 * again and again, and compares what arrived with the limits of each line.
 */
export async function killUnderLimits(
  databaseUrl: string,
  { nodes: count, kills }: { readonly nodes: number; readonly kills: number },
  programs?: readonly string[],
): Promise<LinesReport> {
  const nodes = await nodesOn(databaseUrl, count, programs);
  const sink = await LineSink.start();
  try {
    for (const node of nodes) await node.start();
    for (const line of LINES) await prepare(nodes[0]!.url, line);
    const load = new LineLoad(nodes, sink.url);
    load.start();
    for (let kill = 0; kill < kills; kill++) {
      await pause(1_500 + Math.random() * 1_500);
      const victim = nodes[kill % count]!;
      await victim.kill("SIGKILL");
      await pause(Math.random() * 1_000);
      await victim.start();
      // The node that takes its leases over must first be sure that it is dead.
      await pause(kill === kills - 1 ? 0 : TAKE_OVER_MS * Math.random());
    }
    await pause(1_000);
    await load.stop();
    const unfinished = await drain(sink, load.acknowledged);
    return {
      nodes: count,
      kills,
      acknowledged: load.acknowledged.length,
      visits: sink.visits.length,
      unfinished,
      faults: LINES.flatMap((line) => faultsOf(line, sink.visits)),
    };
  } finally {
    for (const node of nodes) await node.kill("SIGTERM");
    await sink.stop();
  }
}

/** What must hold of every such run. */
export function requireWithinLimits({ acknowledged, unfinished, faults }: LinesReport): void {
  assert.deepEqual(faults, []);
  assert.ok(acknowledged > 50, "the load published next to nothing");
  assert.equal(unfinished, 0, `${unfinished} acknowledged messages never came to an end`);
}

interface Acknowledged {
  readonly line: string;
  readonly number: number;
}

/** One publisher to each line, so that the order of its messages is the order of its calls. */
class LineLoad {
  readonly acknowledged: Acknowledged[] = [];
  readonly #nodes: readonly ServiceProcess[];
  readonly #sinkUrl: string;
  #stopping = false;
  #running: Promise<void>[] = [];

  constructor(nodes: readonly ServiceProcess[], sinkUrl: string) {
    this.#nodes = nodes;
    this.#sinkUrl = sinkUrl;
  }

  start(): void {
    this.#running = LINES.map((line) => this.#publish(line));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }

  async #publish(line: ProvedLine): Promise<void> {
    for (let number = 1; !this.#stopping; number++) {
      const url = this.#nodes[number % this.#nodes.length]!.url;
      const isStored = await this.#publishOne(url, line, number).catch(() => false);
      if (isStored) this.acknowledged.push({ line: line.name, number });
      await pause(line.everyMs * (0.5 + Math.random()));
    }
  }

  async #publishOne(url: string, line: ProvedLine, number: number): Promise<boolean> {
    const failures = number % 4 === 0 ? 1 : 0;
    const to = `${line.name}/${number}`;
    const target = `${this.#sinkUrl}/message/${to}/${failures}`;
    const path = line.kind === "queue" ? `/v2/enqueue/${line.name}/` : "/v2/publish/";
    const headers: Record<string, string> = { "svc-retries": "3", "svc-retry-delay": "50" };
    if (line.hasCallbacks === true) headers["svc-callback"] = `${this.#sinkUrl}/callback/${to}/0`;
    if (line.kind === "key") {
      headers["svc-flow-control-key"] = line.name;
      headers["svc-flow-control-value"] = valueOf(line);
    }
    const answer = await call(url, "POST", path + target, headers, "x");
    await answer.text();
    return answer.status === 200;
  }
}

function valueOf({ parallelism, rate }: ProvedLine): string {
  const limits = [
    ...(parallelism === undefined ? [] : [`parallelism=${parallelism}`]),
    ...(rate === undefined ? [] : [`rate=${rate}`, `period=${PERIOD_MS / 1_000}s`]),
  ];
  return limits.join(", ");
}

async function prepare(url: string, { kind, name, parallelism }: ProvedLine): Promise<void> {
  if (kind !== "queue") return;
  const body = JSON.stringify({ queueName: name, parallelism });
  const answer = await call(url, "POST", "/v2/queues", {}, body);
  assert.equal(answer.status, 200, await answer.text());
}

/** Waits until every message that was promised has been taken well, and answers how many were not. */
async function drain(sink: LineSink, acknowledged: readonly Acknowledged[]): Promise<number> {
  const until = performance.now() + DRAIN_MS_MAX;
  for (;;) {
    const good = new Set(
      sink.visits
        .filter(({ kind, good: isGood }) => kind === "message" && isGood)
        .map(({ line, number }) => `${line}/${number}`),
    );
    const left = acknowledged.filter(({ line, number }) => !good.has(`${line}/${number}`)).length;
    if (left === 0 || performance.now() > until) return left;
    await pause(200);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

const TAKE_OVER_MS = 25_000;
const DRAIN_MS_MAX = 240_000;
