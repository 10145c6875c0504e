import { median } from "../batches.ts";
import type { Destination } from "../destination.ts";
import type { Findings } from "../findings.ts";
import { cpuUs, familyCpuUs } from "../process-stats.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { addFewQueues } from "./filling.ts";
import { type Load, LOADS, type NodesPlan, warmUp, type Work } from "./loads.ts";
import { roundTripsOf } from "./round-trips.ts";
import { type ServerCounts, ServerWatch } from "./server-watch.ts";

export interface NodesCourse {
  readonly plan: NodesPlan;
  readonly rounds: number;
  readonly warmUpMessages: number;
  /** Which clusters: how many nodes each has. */
  readonly nodes: readonly number[];
  /** Of the loads; all when empty. */
  readonly only: readonly string[];
  /** The folder of another checkout, whose clusters are measured in the same rounds. */
  readonly against: string | undefined;
}

/** What one round of a load cost. */
interface Measure {
  readonly work: Work;
  readonly nodesUs: number;
  readonly serverUs: number;
  readonly roundTrips: number;
  readonly server: ServerCounts;
}

/** The same loads on clusters of several sizes, in turns, and what each costs beside the first. */
export async function compareNodes(
  sink: Destination,
  course: NodesCourse,
  findings: Findings,
): Promise<void> {
  const clusters: Watched[] = [];
  try {
    for (const count of course.nodes) {
      clusters.push(await Watched.start(count));
      if (course.against !== undefined) clusters.push(await Watched.start(count, course.against));
    }
    for (const { cluster } of clusters) {
      await warmUp(cluster, sink, course.plan, course.warmUpMessages);
    }
    const wanted = course.only.length === 0 ? Object.keys(LOADS) : course.only;
    for (const name of wanted) await compareLoad(name, clusters, sink, course, findings);
  } finally {
    for (const each of clusters) await each.stop();
  }
}

async function compareLoad(
  name: string,
  clusters: readonly Watched[],
  sink: Destination,
  { plan, rounds }: NodesCourse,
  findings: Findings,
): Promise<void> {
  const row = LOADS[name];
  if (row === undefined) throw new Error(`unknown load ${name}`);
  const loads: Load[] = [];
  for (const { cluster } of clusters) loads.push(await row.start(cluster, sink, plan));
  const measured: Measure[][] = clusters.map(() => []);
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
    for (const [index, each] of clusters.entries()) {
      const measure = await each.measure(loads[index]!);
      if (round >= WARM_UP_ROUNDS) measured[index]!.push(measure);
    }
  }
  for (const load of loads) await load.stop?.();
  for (const [index, { cluster }] of clusters.entries()) {
    const cells = cellsOf(row.title, cluster, loads[index]!, measured[index]!, measured[0]!);
    console.log(cells.map((cell) => cell.padStart(9)).join(" "));
    findings.add("nodes", { cells });
  }
}

/** A cluster, and what its database server does. */
class Watched {
  readonly cluster: Cluster;
  readonly #watch: ServerWatch;

  private constructor(cluster: Cluster, watch: ServerWatch) {
    this.cluster = cluster;
    this.#watch = watch;
  }

  static async start(count: number, against?: string): Promise<Watched> {
    const cluster = await startCluster(count, addFewQueues, against);
    return new Watched(cluster, await ServerWatch.open(cluster.databaseUrl));
  }

  async measure(load: Load): Promise<Measure> {
    const { nodes, serverPid } = this.cluster;
    const nodesUs = (): number => nodes.reduce((all, { pid }) => all + cpuUs(pid), 0);
    const pids = nodes.map(({ pid }) => pid);
    const tripsBefore = await roundTripsOf(pids);
    await this.#watch.begin();
    const [nodesBefore, serverBefore] = [nodesUs(), familyCpuUs(serverPid)];
    const work = await load.round();
    const [nodesAfter, serverAfter] = [nodesUs(), familyCpuUs(serverPid)];
    return {
      work,
      nodesUs: (nodesAfter - nodesBefore) / work.count,
      serverUs: (serverAfter - serverBefore) / work.count,
      roundTrips: (await roundTripsOf(pids)) - tripsBefore,
      server: await this.#watch.end(),
    };
  }

  async stop(): Promise<void> {
    await this.#watch.close();
    await this.cluster.stop();
  }
}

function cellsOf(
  name: string,
  { nodes, isOther }: Cluster,
  { unit }: Load,
  rounds: readonly Measure[],
  base: readonly Measure[],
): string[] {
  const of = (pick: (one: Measure) => number, digits = 0): string =>
    median(rounds.map(pick)).toFixed(digits);
  const beside = (pick: (one: Measure) => number): string =>
    rounds === base
      ? ""
      : median(rounds.map((one, round) => pick(one) / pick(base[round]!))).toFixed(2);
  const each = (pick: (counts: ServerCounts) => number, digits = 0): string =>
    of(({ server, work }) => (1_000 * pick(server)) / work.count, digits);
  return [
    `${name}, for a ${unit}${isOther ? ", other" : ""}`,
    String(nodes.length),
    of(({ work }) => (1_000 * work.count) / work.elapsedMs),
    of(({ nodesUs }) => nodesUs),
    beside(({ nodesUs }) => nodesUs),
    of(({ serverUs }) => serverUs),
    beside(({ serverUs }) => serverUs),
    of(({ roundTrips, work }) => (1_000 * roundTrips) / work.count),
    each(({ statements }) => statements),
    each(({ transactions }) => transactions),
    each(({ walSyncs }) => walSyncs),
    each(({ walBytes }) => walBytes / 1_000),
    of(({ server }) => server.waiting["Lock"] ?? 0, 1),
    of(({ server }) => server.waiting["LWLock"] ?? 0, 1),
    of(({ work }) => work.p50Ms),
    of(({ work }) => work.p99Ms),
    of(({ work }) => leastOfMost(work.ofNodes), 2),
  ];
}

/** 1 when all nodes took as many. */
function leastOfMost(ofNodes: readonly number[]): number {
  return ofNodes.length === 0 ? 1 : Math.min(...ofNodes) / Math.max(...ofNodes);
}

const WARM_UP_ROUNDS = 1;
