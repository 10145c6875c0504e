import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { parseArgs } from "node:util";

import { crashEndpoint } from "../crash/endpoint.ts";
import type { Deaths } from "../crash/points.ts";
import { crashOnPostgres } from "../crash/postgres.ts";
import { crashRevivals } from "../crash/revival.ts";
import { crashOnSqlite } from "../crash/sqlite.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { failOver, requireFailedOver } from "./failover/failover.ts";
import { publishBigBodies, requireBounded } from "./big-bodies.ts";
import { measureCommandStart, requireQuick } from "./command-start.ts";
import { type KillReport, killPostgresNodes, killSqlite, requireKept } from "./kill.ts";
import { killUnderReports, requireReported } from "./large-reports.ts";
import { killUnderLimits, requireWithinLimits } from "./lines.ts";
import { cutPower, requireSurvived } from "./power-cut/power-cut.ts";
import { mixVersions } from "./mixed-versions.ts";
import { checkMonitoring } from "./monitoring.ts";
import { currentCircumstances, readResults, withProof, writeResults } from "../results/results.ts";
import { testsPassed } from "../results/tests-passed.ts";
import { writeResultPages } from "../results/write-pages.ts";
import { moveUnderLoad, requireMoved, shownMove } from "./move.ts";
import { restartWithBacklog } from "./restart.ts";
import { requireCalm, shownMinute, watchTail } from "./live-tail.ts";
import { requireRestored, restoreBackups } from "./restore.ts";
import { type DaysStore, liveTenDays, requireFlat, shown } from "./ten-days.ts";
import { killUnderRuns, requireEnded } from "./runs/kill-runs.ts";
import { killUnderTicks, requireTicked } from "./ticks/kill-ticks.ts";

/**
 * `npm run prove`: the long counts. Each proof writes its result into docs/internals/results.json, and the
 * pages made from it, when it ends; with `-- --only kill-sqlite,restart` the others stay as they are.
 */
const PROOFS: Readonly<Record<string, () => Promise<string>>> = {
  histories: () =>
    Promise.resolve(
      tests("test/contract/histories/histories.test.ts", { POSTRIDER_HISTORIES: "full" }),
    ),
  "run-histories": () =>
    Promise.resolve(
      tests("test/contract/run-histories/run-histories.test.ts", { POSTRIDER_HISTORIES: "full" }),
    ),
  "bounded-work": () =>
    Promise.resolve(tests("test/contract/bounded-*.test.ts", { BOUNDED_WORK: "full" })),
  answers: () =>
    Promise.resolve(tests("test/delivery/answers/differential.test.ts", { ANSWERS: "1000000" })),
  "bounded-views": () =>
    Promise.resolve(tests("test/journeys/bounded-views.test.ts", { BOUNDED_VIEWS: "full" })),
  "kept-plans": () =>
    Promise.resolve(tests("test/contract/postgres/kept-*plans.test.ts", { KEPT_PLANS: "full" })),
  "hostile-requests": () =>
    Promise.resolve(tests("test/fuzz/fuzz.test.ts", { FUZZ_REQUESTS: "200000", FUZZ_SEED: "2" })),
  simulation: () =>
    Promise.resolve(tests("test/simulation/cluster.test.ts", { SIMULATION_SEEDS: "300" })),
  "simulation-schedules": () =>
    Promise.resolve(tests("test/simulation/schedules.test.ts", { SIMULATION_SEEDS: "300" })),
  "clock-changes": () =>
    Promise.resolve(tests("test/cron/clock-changes.test.ts", { CLOCK_CHANGES: "all" })),
  "sdk-workflows": () =>
    Promise.resolve(tests("sdk/src/workflow/replay-model.test.ts", { SDK_WORKFLOWS: "2000" })),
  "wide-runs": () =>
    Promise.resolve(tests("test/journeys/wide-runs.test.ts", { WIDE_RUN_BRANCHES: "200" })),
  "long-runs": () =>
    Promise.resolve(tests("test/journeys/long-runs.test.ts", { LONG_RUNS: "full" })),
  browser: () => Promise.resolve(tests("test/browser/*.test.ts", { BROWSER_STORES: "all" })),
  installs: () =>
    Promise.resolve(tests("test/package/{installs,image.test}.ts", { IMAGE_INSTALLS: "full" })),
  monitoring: () => checkMonitoring(),
  mutants: () => Promise.resolve(lastLine("test/mutants/run.ts")),
  "generated-mutants": () => Promise.resolve(lastLine("test/mutants/run.ts", "--generated")),
  "kill-sqlite": async () => killed(await killSqlite(50)),
  "power-cut": async () => {
    const report = await cutPower();
    requireSurvived(report);
    const { steps, firstStart, points, images, started, acknowledged, lostByControls } = report;
    return `${steps} writes, syncs and names of files recorded; the disk cut after each of the ${firstStart} of the first start and at ${points - firstStart} later ones, in four ways: ${images} disks, ${started} of them started, all sound; ${acknowledged} acknowledged, 0 lost; disks that ignore syncs lost ${lostByControls.join(" and ")}`;
  },
  "kill-postgres": async () => killed(await killPostgresNodes(20)),
  "kill-reports": async () => {
    const report = await killUnderReports(30);
    requireReported(report);
    const { kills, acknowledged, broken } = report;
    return `${kills} kills under answers of 0.3 to 2 MB with callbacks: ${acknowledged} acknowledged, each reported whole, ${broken} reports broken`;
  },
  "mixed-versions": () => mixVersions(),
  "lines-two-nodes": () => withinLimits(2, 8),
  "lines-three-nodes": () => withinLimits(3, 8),
  "runs-two-nodes": () => allEnd(2, 5_000),
  "runs-three-nodes": () => allEnd(3, 5_000),
  "crash-runs-sqlite": async () => deaths("the service", await crashOnSqlite()),
  "crash-runs-postgres": async () => deaths("one of two nodes", await crashOnPostgres()),
  "crash-endpoint": async () => deaths("the endpoint", await crashEndpoint()),
  "crash-revivals": async () => revivals(await crashRevivals()),
  "ticks-two-nodes": () => allTick(2, 24),
  "ticks-three-nodes": () => allTick(3, 24),
  "big-bodies": async () => {
    const report = await publishBigBodies(64);
    requireBounded(report);
    return `${report.delivered} of ${report.bodies} bodies of 10 MB delivered whole, at most ${report.rssMb} MB resident`;
  },
  "failover-asynchronous": () => failedOver(false),
  "failover-synchronous": () => failedOver(true),
  "live-tail": async () => {
    const minutes = await watchTail(10);
    requireCalm(minutes);
    return `100 messages a second in the tail of the messages screen, each minute of ten, of one core and in the page's memory: ${minutes.map(shownMinute).join("; ")}`;
  },
  "ten-days-sqlite": () => tenDays("sqlite", 1_000_000),
  "ten-days-postgres": () => tenDays("postgres", 1_000_000),
  "command-start": async () => {
    const measured = await measureCommandStart(11);
    requireQuick(measured);
    const medians = measured.map(({ name, tookMs }) => `${name} ${tookMs} ms`);
    return `the built command, from its start to its end (median of 11): ${medians.join(", ")}`;
  },
  move: () => moved(1_000_000),
  restore: async () => {
    const report = await restoreBackups(20);
    requireRestored(report);
    return `${report.restores} backups under load restored: ${report.acknowledged} acknowledged, ${report.missing} missing in a backup that began later`;
  },
  restart: async () => {
    const { waiting, firstDeliveryMs } = await restartWithBacklog(1_000_000, 5);
    return `${waiting} waiting: first delivery ${firstDeliveryMs.join(", ")} ms after the start of the process`;
  },
};

const { values } = parseArgs({ options: { only: { type: "string" } } });
const wanted = values.only?.split(",") ?? Object.keys(PROOFS);
let failed = 0;
for (const name of wanted) {
  const prove = PROOFS[name];
  if (prove === undefined)
    throw new Error(`unknown proof ${name}; known: ${Object.keys(PROOFS).join(", ")}`);
  const result = await Promise.resolve()
    .then(prove)
    .catch((error: unknown) => {
      failed += 1;
      return `FAILED: ${String(error)}`;
    });
  write(name, result);
  console.log(`${name}: ${result}`);
}
console.log(`${wanted.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function write(name: string, result: string): void {
  const proof = { result, ...currentCircumstances() };
  const results = withProof(readResults(), Object.keys(PROOFS), name, proof);
  writeResults(results);
  writeResultPages(results);
}

async function tenDays(store: DaysStore, messagesOfDay: number): Promise<string> {
  const days = await liveTenDays(store, messagesOfDay);
  requireFlat(days);
  return `after each of ten days of ${messagesOfDay} messages, kept for a day: size, publish p99, and p99 in turn with it to a store that is nearly empty: ${days.map(shown).join("; ")}`;
}

async function withinLimits(nodes: number, kills: number): Promise<string> {
  const server = await startPostgres({ durable: true });
  try {
    const report = await killUnderLimits(server.url, { nodes, kills });
    requireWithinLimits(report);
    return `${nodes} nodes, ${kills} kills: ${report.acknowledged} messages of 4 queues and 3 keys in ${report.visits} calls, none out of order, none beyond parallelism or rate, none left`;
  } finally {
    await server.stop();
  }
}

async function allEnd(nodes: number, runs: number): Promise<string> {
  const server = await startPostgres({ durable: true });
  try {
    const options = { nodes, runs, kills: 10, seed: nodes, openMax: 120 };
    const report = await killUnderRuns(server.url, options);
    requireEnded(report);
    const { ended } = report;
    return `${nodes} nodes, ${report.kills} kills: ${runs} mixed runs and ${report.invoked} that they invoked all ended as they should: ${ended.success} with their result, ${ended.failed} failed, each with one dead letter and its report, ${ended.canceled} canceled; ${report.works} works, ${report.worksAgain} of them done again, none recorded twice; nothing left`;
  } finally {
    await server.stop();
  }
}

async function allTick(nodes: number, rounds: number): Promise<string> {
  const server = await startPostgres({ durable: true });
  try {
    const options = { nodes, minutely: 300, moved: 500, rounds };
    const report = await killUnderTicks(server.url, options);
    requireTicked(report);
    return `${nodes} nodes, ${report.kills} kills around ${rounds} instants at which 500 schedules were due, and ${report.minutes} minutes at which 300 were: ${report.messages} messages, each due instant once, none lost or doubled, ${report.skipped} skips on record`;
  } finally {
    await server.stop();
  }
}

async function moved(messages: number): Promise<string> {
  const server = await startPostgres({ durable: true });
  try {
    const load = { publishers: 8, pauseMs: 80, calmMs: 10_000 };
    const report = await moveUnderLoad(server.url, { messages, ...load });
    requireMoved(report);
    const { acknowledged, lost, duplicates, outOfOrder } = report;
    return `${messages} messages and what belongs to them moved under load, the same hashes after; ${shownMove("to PostgreSQL", report.there)}; ${shownMove("back", report.back)}; ${acknowledged} acknowledged meanwhile, ${lost} lost, ${duplicates} sent again, ${outOfOrder} of a queue out of order`;
  } finally {
    await server.stop();
  }
}

async function failedOver(isSynchronous: boolean): Promise<string> {
  const report = await failOver(isSynchronous, 10);
  requireFailedOver(report, isSynchronous);
  const { failovers, acknowledged, lost, stoodStillMs } = report;
  const seconds = [Math.min, Math.max].map((end) => Math.round(end(...stoodStillMs) / 1_000));
  return `${failovers} failovers: ${acknowledged} acknowledged, ${lost} lost; publishing stood still for ${seconds.join(" to ")} s`;
}

function killed(report: KillReport): string {
  requireKept(report);
  const { kills, acknowledged, delivered, deadLettered, canceled, lost, duplicates } = report;
  return `${kills} kills: ${acknowledged} acknowledged, ${delivered} delivered, ${deadLettered} dead-lettered, ${canceled} canceled, ${lost} lost, ${duplicates} duplicates, each after a kill`;
}

function deaths(who: string, found: Deaths): string {
  return `${pointsOf(found)}, at each of which ${who} was killed in a run of every kind of step, with both SDKs: each run came to the same result, each step recorded once, each group joined once, nothing left; where an event and a deadline raced, ${found.told} times the one and ${found.timedOut} times the other; the code of ${found.repeated} steps ran again`;
}

function revivals(found: Deaths): string {
  return `${pointsOf(found)}, at each of which the service was killed while a run failed, was resumed or was restarted, with both SDKs: one dead letter, one run that took its place and came to its result, nothing left; the code of ${found.repeated} steps ran again`;
}

/** Runs differ by some points: those at the far end, few runs come to. */
function pointsOf({ points, unmet }: Deaths): string {
  return `${points} of the ${points + unmet} points that any run had`;
}

/** Runs test files with their full counts. */
function tests(file: string, environment: Readonly<Record<string, string>>): string {
  const result = spawnSync(process.execPath, ["--test", "--test-reporter=spec", file], {
    env: { ...process.env, ...environment },
    encoding: "utf8",
  });
  requireSuccess(result);
  return testsPassed(result.stdout);
}

function lastLine(file: string, ...args: string[]): string {
  const result = spawnSync(process.execPath, [file, ...args], { encoding: "utf8" });
  requireSuccess(result);
  return result.stdout.trim().split("\n").at(-1) ?? "";
}

function requireSuccess({ status, stdout }: SpawnSyncReturns<string>): void {
  if (status === 0) return;
  console.log(stdout);
  throw new Error(stdout.slice(-2_000));
}
