import { median } from "../batches.ts";
import { besides, Child } from "../child.ts";
import type { Row } from "../../results/results.ts";
import type { Findings } from "../findings.ts";
import { cpuUs, rssPeakMb } from "../process-stats.ts";
import { startPostgresNode, startSqlite } from "../subjects.ts";
import { type Contestant, ENDPOINTS, withRestate, withSdk } from "./contestants.ts";
import type { LoadPlan, LoadResult } from "./load.ts";

/** Runs of five steps per second, ours and Restate's in turns, both durable. */
export const WORKFLOW_VARIANTS: Readonly<Record<string, () => Promise<Contestant>>> = {
  workflows: async () => withSdk(await startSqlite(), ENDPOINTS.postrider),
  "workflows-upstash": async () => withSdk(await startSqlite(), ENDPOINTS.upstash),
  "workflows-postgres": async () => withSdk(await startPostgresNode(), ENDPOINTS.postrider),
};

export interface WorkflowPlan {
  readonly runsAtOnce: number;
  readonly durationMs: number;
  readonly rounds: number;
  readonly warmUpRuns: number;
}

interface Measure {
  readonly runsPerSecond: number;
  readonly serviceUsPerRun: number;
  readonly endpointUsPerRun: number;
  readonly gapP50Ms: number;
  readonly gapP99Ms: number;
  readonly runP50Ms: number;
  readonly runP99Ms: number;
  readonly rssMb: number;
}

export async function compareWorkflows(
  variant: string,
  plan: WorkflowPlan,
  findings: Findings,
): Promise<void> {
  const ours = await WORKFLOW_VARIANTS[variant]!();
  const restate = await withRestate();
  try {
    await contest([ours, restate], plan, findings);
  } finally {
    for (const one of [ours, restate]) await one.stop();
  }
}

async function contest(
  both: readonly [Contestant, Contestant],
  plan: WorkflowPlan,
  findings: Findings,
): Promise<void> {
  for (const one of both) await measure(one, plan, plan.warmUpRuns);
  const pairs: [Measure, Measure][] = [];
  for (let round = 0; round < plan.rounds; round++) {
    pairs.push([await measure(both[0], plan), await measure(both[1], plan)]);
  }
  const ratios = pairs.map(([one, other]) => one.runsPerSecond / other.runsPerSecond);
  console.log(`five steps, ${plan.runsAtOnce} runs at once:`);
  for (const [index, { name }] of both.entries()) {
    const rounds = pairs.map((pair) => pair[index]!);
    print(name, rounds);
    findings.add("workflows", rowOf(name, rounds, index === 0 ? ratios : []));
  }
  const all = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
  console.log(`  ${median(ratios).toFixed(2)} times Restate's rate (${all})`);
}

function rowOf(name: string, rounds: readonly Measure[], ratios: readonly number[]): Row {
  const of = (pick: (round: Measure) => number, digits = 0): string =>
    median(rounds.map(pick)).toFixed(digits);
  const cells = [
    name,
    of((one) => one.runsPerSecond),
    ratios.length === 0 ? "" : median(ratios).toFixed(2),
    of((one) => one.serviceUsPerRun),
    of((one) => one.endpointUsPerRun),
    of((one) => one.gapP50Ms, 1),
    of((one) => one.gapP99Ms, 1),
    of((one) => one.rssMb),
  ];
  return { cells, bar: { name, value: median(rounds.map((one) => one.runsPerSecond)) } };
}

async function measure(one: Contestant, plan: WorkflowPlan, runs?: number): Promise<Measure> {
  await one.endpoint.ask("gaps");
  const serviceUs = cpuUs(one.servicePid);
  const endpointUs = cpuUs(one.endpoint.pid);
  const { runsAtOnce, durationMs } = plan;
  const asked: LoadPlan = { ...one.start, runsAtOnce, durationMs, runs };
  const load = new Child(besides("workflows/load.ts"), [JSON.stringify(asked)]);
  const { ended, elapsedMs, p50Ms, p99Ms } = JSON.parse(await load.line()) as LoadResult;
  const gaps = JSON.parse(await one.endpoint.ask("gaps")) as { p50Ms: number; p99Ms: number };
  return {
    runsPerSecond: ended / (elapsedMs / 1_000),
    serviceUsPerRun: (cpuUs(one.servicePid) - serviceUs) / ended,
    endpointUsPerRun: (cpuUs(one.endpoint.pid) - endpointUs) / ended,
    gapP50Ms: gaps.p50Ms,
    gapP99Ms: gaps.p99Ms,
    runP50Ms: p50Ms,
    runP99Ms: p99Ms,
    rssMb: rssPeakMb(one.servicePid),
  };
}

function print(name: string, rounds: readonly Measure[]): void {
  const of = (pick: (round: Measure) => number, digits = 0): string =>
    median(rounds.map(pick)).toFixed(digits);
  console.log(
    `  ${name.padEnd(28)} ${of((one) => one.runsPerSecond).padStart(5)} runs/s` +
      `  cpu us/run: service ${of((one) => one.serviceUsPerRun)}, endpoint ${of((one) => one.endpointUsPerRun)}` +
      `  between steps p50 ${of((one) => one.gapP50Ms, 1)} p99 ${of((one) => one.gapP99Ms, 1)} ms` +
      `  run p50 ${of((one) => one.runP50Ms)} p99 ${of((one) => one.runP99Ms)} ms` +
      `  rss ${of((one) => one.rssMb)} MB`,
  );
}
