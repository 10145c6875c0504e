import assert from "node:assert/strict";

import { nodesOn, type ServiceProcess } from "../service-process.ts";
import { pause, RunClients } from "./clients.ts";
import { EndpointProcess } from "./endpoint-process.ts";
import { faultsOf } from "./judge.ts";
import { RunLeader } from "./leader.ts";
import { drawPlans, type RunPlan } from "./plan.ts";
import { RunDatabase, type Stored, type StoredRun } from "./stored.ts";
import { pickOne, type Witness } from "./witness.ts";

export interface RunsOptions {
  readonly nodes: number;
  readonly runs: number;
  /** There are at least so many, and more for as long as runs are triggered. */
  readonly kills: number;
  /** The same seed draws the same runs. */
  readonly seed: number;
  /** Runs that are under way at once. */
  readonly openMax: number;
}

export interface RunsReport {
  readonly nodes: number;
  readonly kills: number;
  /** All that were started, with those that others invoked, by how they ended. */
  readonly ended: Readonly<Record<StoredRun["phase"], number>>;
  readonly planned: number;
  readonly invoked: number;
  readonly works: number;
  /** Works that were done again, because a node was killed or a step stumbled. */
  readonly worksAgain: number;
  readonly faults: readonly string[];
}

/**
 * Triggers mixed runs through several nodes on one database, kills one of them again and again,
 * and holds what became of the runs against what they were to do.
 */
export async function killUnderRuns(
  databaseUrl: string,
  options: RunsOptions,
  programs?: readonly string[],
): Promise<RunsReport> {
  const nodes = await nodesOn(databaseUrl, options.nodes, programs);
  const urls = nodes.map(({ url }) => url);
  for (const node of nodes) await node.start();
  const endpoint = await EndpointProcess.start(urls);
  const database = await RunDatabase.open(databaseUrl);
  const leader = new RunLeader(new RunClients(urls, endpoint.url));
  const watching = new AbortController();
  const watched = leader.watch(database, watching.signal);
  try {
    const plans = drawPlans(options.runs, options.seed);
    const load = triggerAll(plans, leader, options.openMax);
    const kills = await killWhile(load, nodes, options.kills);
    await leader.finish();
    await drain(database);
    const stored = await database.read();
    const witness = await endpoint.witness();
    const faults = faultsOf(plans, stored, witness, leader);
    return {
      ...countsOf(stored, witness),
      nodes: nodes.length,
      kills,
      planned: plans.length,
      faults,
    };
  } finally {
    watching.abort();
    await watched;
    await database.close();
    for (const node of nodes) await node.kill("SIGTERM");
    await endpoint.stop();
  }
}

/** What must hold of every such run. */
export function requireEnded({ kills, ended, faults }: RunsReport): void {
  assert.deepEqual(faults.slice(0, 50), [], `${faults.length} faults`);
  assert.ok(kills > 0, "no node was killed");
  const { success, failed, canceled } = ended;
  assert.ok(Math.min(success, failed, canceled) > 0, "the runs are not mixed");
}

async function triggerAll(
  plans: readonly RunPlan[],
  leader: RunLeader,
  openMax: number,
): Promise<void> {
  const waiting = [...plans];
  const trigger = async (): Promise<void> => {
    for (let plan = waiting.shift(); plan !== undefined; plan = waiting.shift()) {
      while (leader.openCount >= openMax) await pause(50);
      await leader.lead(plan);
    }
  };
  await Promise.all(Array.from({ length: TRIGGERING }, trigger));
}

/**
 * Kills one or several nodes shortly after each other, and then leaves them alone for a while: a
 * node that takes leases over must have lived long enough to be sure of the death.
 */
async function killWhile(
  load: Promise<void>,
  nodes: readonly ServiceProcess[],
  killsMin: number,
): Promise<number> {
  const loading = new AbortController();
  const loaded = load.finally(() => loading.abort());
  loaded.catch(() => undefined);
  let kills = 0;
  const isEnough = (): boolean => loading.signal.aborted && kills >= killsMin;
  while (!isEnough()) {
    for (let inARow = 1 + Math.floor(Math.random() * 3); inARow > 0 && !isEnough(); inARow--) {
      await pause(1_000 + Math.random() * 4_000);
      const victim = pickOne(nodes);
      await victim.kill("SIGKILL");
      kills += 1;
      await pause(Math.random() * 1_500);
      await victim.start();
    }
    await Promise.race([loaded, pause(TAKE_OVER_MS * (0.8 + Math.random() * 0.4))]);
  }
  await loaded;
  return kills;
}

/** Waits until nothing is under way any more. */
async function drain(database: RunDatabase): Promise<void> {
  const until = performance.now() + DRAIN_MS_MAX;
  while (performance.now() < until) {
    const left = Object.values(await database.left());
    if (left.every((count) => count === 0)) return;
    await pause(500);
  }
}

function countsOf(
  { runs }: Stored,
  { works }: Witness,
): Pick<RunsReport, "ended" | "invoked" | "works" | "worksAgain"> {
  const ended = { started: 0, success: 0, failed: 0, canceled: 0 };
  for (const { phase } of runs) ended[phase] += 1;
  const steps = new Set(works.map(({ runId, name }) => `${runId} ${name}`));
  const invoked = runs.filter(({ invokerId }) => invokerId !== null).length;
  return { ended, invoked, works: works.length, worksAgain: works.length - steps.size };
}

const TRIGGERING = 12;
const TAKE_OVER_MS = 25_000;
const DRAIN_MS_MAX = 600_000;
