import { besides, Child } from "../child.ts";
import { type Destination, targetsOf } from "../destination.ts";
import { BENCH_TOKEN, type Subject } from "../subjects.ts";
import { ENDPOINTS, withSdk } from "../workflows/contestants.ts";
import type { LoadPlan, LoadResult } from "../workflows/load.ts";
import { QUEUES } from "./filling.ts";
import type { Cluster } from "./cluster.ts";

export interface NodesPlan {
  readonly connectionsOfNode: number;
  readonly bodyBytes: number;
  readonly durationMs: number;
}

/** What a load had done when its last message or run had ended. */
export interface Work {
  readonly count: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many began at each node. */
  readonly ofNodes: readonly number[];
}

/** Work for a cluster, to be done again and again. */
export interface Load {
  readonly unit: "message" | "run";
  round(): Promise<Work>;
  stop?(): Promise<void>;
}

type StartLoad = (cluster: Cluster, sink: Destination, plan: NodesPlan) => Promise<Load>;

export interface LoadRow {
  readonly title: string;
  readonly start: StartLoad;
}

const CONNECTIONS_IN_ALL = 64;

export const LOADS: Readonly<Record<string, LoadRow>> = {
  plain: { title: "plain messages", start: (...given) => publishing(...given, {}) },
  "plain-shared": {
    title: `plain messages, ${CONNECTIONS_IN_ALL} connections in all`,
    start: (cluster, sink, plan) => {
      const connectionsOfNode = Math.ceil(CONNECTIONS_IN_ALL / cluster.nodes.length);
      return publishing(cluster, sink, { ...plan, connectionsOfNode }, {});
    },
  },
  queues: {
    title: `${QUEUES} queues`,
    start: (...given) => publishing(...given, { queues: QUEUES }),
  },
  key: {
    title: "one key with a rate",
    start: (...given) => publishing(...given, { headers: RATED }),
  },
  // A queue that delivers one at a time takes long to empty, so its messages are counted out.
  "serial-queue": {
    title: "one queue, parallelism 1",
    start: (cluster, ...given) => {
      const messages = Math.ceil(SERIAL_MESSAGES / cluster.nodes.length);
      return publishing(cluster, ...given, { queues: 1, messages });
    },
  },
  workflows: { title: "runs of five steps", start: startWorkflows },
  schedules: { title: "schedules due at once", start: startSchedules },
};

/** Warms up a node by messages, or its first rounds would measure the compiler. */
export async function warmUp(
  cluster: Cluster,
  sink: Destination,
  plan: NodesPlan,
  messages: number,
): Promise<void> {
  const load = await publishing(cluster, sink, plan, { messages });
  await load.round();
}

/** A closed loop at each node; the round ends when the sink has all that was acknowledged. */
async function publishing(
  { nodes }: Cluster,
  sink: Destination,
  { connectionsOfNode: connections, ...plan }: NodesPlan,
  more: Readonly<Record<string, unknown>>,
): Promise<Load> {
  const round = async (): Promise<Work> => {
    const before = await sink.count();
    const startedAt = performance.now();
    const results = await Promise.all(
      nodes.map(({ port }) => {
        const targets = targetsOf({}, sink.port);
        const asked = { ...plan, connections, port, targets, batchCount: 1, ...more };
        return published({ ...asked, tokens: [BENCH_TOKEN] });
      }),
    );
    const ofNodes = results.map(({ acknowledged }) => acknowledged);
    const count = sum(ofNodes);
    await arrived(sink, before + count);
    return {
      count,
      elapsedMs: performance.now() - startedAt,
      p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
      p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
      ofNodes,
    };
  };
  return { unit: "message", round };
}

interface Published {
  readonly acknowledged: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function published(plan: Readonly<Record<string, unknown>>): Promise<Published> {
  const publisher = new Child(besides("publisher.ts"), [JSON.stringify(plan)]);
  return JSON.parse(await publisher.line()) as Published;
}

/** Runs of five steps that begin at each node; their endpoint speaks to the first one. */
async function startWorkflows(
  { nodes }: Cluster,
  _sink: Destination,
  { connectionsOfNode: runsAtOnce, durationMs }: NodesPlan,
): Promise<Load> {
  const kept: Subject = { ...nodes[0]!, stop: () => Promise.resolve() };
  const contestant = await withSdk(kept, ENDPOINTS.postrider);
  const { endpoint, start } = contestant;
  const round = async (): Promise<Work> => {
    const results = await Promise.all(
      nodes.map(async ({ port }) => {
        const asked: LoadPlan = { ...start, port, runsAtOnce, durationMs };
        const load = new Child(besides("workflows/load.ts"), [JSON.stringify(asked)]);
        return JSON.parse(await load.line()) as LoadResult;
      }),
    );
    await endpoint.ask("gaps");
    const ofNodes = results.map(({ ended }) => ended);
    return {
      count: sum(ofNodes),
      elapsedMs: Math.max(...results.map(({ elapsedMs }) => elapsedMs)),
      p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
      p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
      ofNodes,
    };
  };
  return { unit: "run", round, stop: () => contestant.stop() };
}

/** Schedules that are all due at the next minute; nobody says at which node each fires. */
async function startSchedules({ nodes }: Cluster, sink: Destination): Promise<Load> {
  const [target] = targetsOf({}, sink.port);
  for (let made = 0; made < SCHEDULES; made++) {
    const answer = await fetch(`http://127.0.0.1:${nodes[0]!.port}/v2/schedules/${target}`, {
      method: "POST",
      headers: { authorization: `Bearer ${BENCH_TOKEN}`, "svc-cron": "* * * * *" },
    });
    if (!answer.ok) throw new Error(`a schedule was refused: ${await answer.text()}`);
    await answer.arrayBuffer();
  }
  const round = async (): Promise<Work> => {
    const dueAt = Math.ceil((Date.now() + 2_000) / MINUTE_MS) * MINUTE_MS;
    await sleep(dueAt - 1_000 - Date.now());
    const before = await sink.count();
    await arrived(sink, before + SCHEDULES);
    return { count: SCHEDULES, elapsedMs: Date.now() - dueAt, p50Ms: 0, p99Ms: 0, ofNodes: [] };
  };
  return { unit: "message", round };
}

async function arrived(sink: Destination, wanted: number): Promise<void> {
  const giveUpAt = performance.now() + ARRIVAL_MS_MAX;
  while ((await sink.count()) < wanted) {
    if (performance.now() > giveUpAt) {
      throw new Error(`${wanted - (await sink.count())} acknowledged messages did not arrive`);
    }
    await sleep(5);
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
const sleep = (durationMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, durationMs));
const RATED = ["Svc-Flow-Control-Key: rated", "Svc-Flow-Control-Value: rate=50000, period=1s"];
const SERIAL_MESSAGES = 1_000;
const SCHEDULES = 1_000;
const MINUTE_MS = 60_000;
const ARRIVAL_MS_MAX = 120_000;
