import { parseArgs } from "node:util";

import { compareBatches } from "./batches.ts";
import { compareBesideFloor, FLOOR_HEADING } from "./beside-floor.ts";
import type { Course } from "./course.ts";
import { startDestination } from "./destination.ts";
import { compareGrowth, measureCold } from "./growth/compare.ts";
import { COLD_VARIANTS, growthVariant } from "./growth/variants.ts";
import { IDLE_VARIANTS, measureIdle } from "./idle.ts";
import { compareIds } from "./ids.ts";
import { compareNeighbors, NEIGHBOR_VARIANTS } from "./neighbors/compare.ts";
import { compareNodes } from "./nodes/compare.ts";
import {
  currentCircumstances,
  readResults,
  withBenchmarks,
  writeResults,
} from "../results/results.ts";
import { writeResultPages } from "../results/write-pages.ts";
import { Findings } from "./findings.ts";
import { measureScreens } from "./screens.ts";
import { describeSetting } from "./setting.ts";
import { PEERS } from "./peers/peers.ts";
import type { RoundPlan } from "./round.ts";
import {
  ofCheckout,
  startFloor,
  startPostgresNode,
  startSqlite,
  type Subject,
} from "./subjects.ts";
import { compareWorkflows, WORKFLOW_VARIANTS } from "./workflows/compare.ts";
import { measureSleeping } from "./workflows/sleeping.ts";
import { STEP_NAMES } from "./workflows/step-clock.ts";

/**
 * `npm run bench`: the service beside an in-memory relay on the same HTTP stack, in turns, so that
 * whatever else the machine does happens to both. Ratios are medians over the rounds.
 */
const { values } = parseArgs({
  options: {
    variants: { type: "string", default: "sqlite,postgres" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    connections: { type: "string", default: "64" },
    bytes: { type: "string", default: "256" },
    /** Messages before the first round: the hot code of each subject is compiled by then. */
    "warm-up": { type: "string", default: "20000" },
    /** Of the variants of waiting messages. */
    waiting: { type: "string", default: "1000000" },
    runs: { type: "string", default: "100000" },
    /** Of the variants of retention: enough to be deleted in every round. */
    "old-messages": { type: "string", default: "400000" },
    /** What people would use in our place, in the same rounds, in place of the variants. */
    peers: { type: "boolean", default: false },
    /** Of the variant nodes: how many nodes each cluster has. */
    nodes: { type: "string", default: "1,2,4,8" },
    /** Which of the peers, or of the loads of neighbors and nodes; all of them when empty. */
    only: { type: "string", default: "" },
    /** The folder of another checkout, to be measured in the same rounds. */
    against: { type: "string" },
    /** Puts what was measured into docs/internals/results.json and the pages made from it. */
    write: { type: "boolean", default: false },
  },
});

const STARTERS: Readonly<Record<string, () => Promise<Subject>>> = {
  sqlite: () => startSqlite(),
  postgres: () => startPostgresNode(),
};

const BATCH_STARTERS: Readonly<Record<string, () => Promise<Subject>>> = {
  "sqlite-batch": () => startSqlite(),
  "postgres-batch": () => startPostgresNode(),
};

const ID_STARTERS: Readonly<Record<string, () => Promise<Subject>>> = {
  "sqlite-ids": () => startSqlite(),
  "postgres-ids": () => startPostgresNode(),
};

const plan: RoundPlan = {
  connections: Number(values.connections),
  bodyBytes: Number(values.bytes),
  durationMs: Number(values.seconds) * 1000,
};

const warmUpMessages = Number(values["warm-up"]);

/** One at a time a message takes a few milliseconds. */
const IDLE_PLAN = { messages: 500, warmUpMessages: warmUpMessages / 10 };

/** Fails before anything is measured when the pages cannot be written. */
if (values.write) writeResultPages(readResults());
const ran = { ...currentCircumstances(), command: commandLine(), setting: describeSetting() };

const destination = await startDestination();
const floor = await startFloor();
const findings = new Findings();
const rounds = Number(values.rounds);
const course: Course = { destination, plan, rounds, warmUpMessages, findings };
console.log(`node ${process.version}, ${plan.connections} connections, ${plan.bodyBytes} bytes`);
console.log(FLOOR_HEADING);
if (values.peers) await compareToPeers();
else for (const variant of values.variants.split(",")) await run(variant);
await floor.stop();
await destination.stop();
if (values.write) {
  const results = withBenchmarks(readResults(), findings.results(ran));
  writeResults(results);
  writeResultPages(results);
}

async function run(variant: string): Promise<void> {
  const growth = growthVariant(variant);
  const sizes = { oldMessages: Number(values["old-messages"]), waiting: Number(values.waiting) };
  if (growth !== null) await compareGrowth(await growth(sizes), course);
  else if (variant in COLD_VARIANTS) await measureCold(variant, course);
  else if (variant in IDLE_VARIANTS) {
    await measureIdle(variant, { ...plan, ...IDLE_PLAN }, findings);
  } else if (variant in NEIGHBOR_VARIANTS) {
    await compareNeighbors(variant, { ...plan, rounds, only: only() }, findings);
  } else if (variant === "nodes") await runNodes();
  else if (variant === "screens") await measureScreens(findings);
  else if (variant === "sleeping") await measureSleeping(Number(values.runs), findings);
  else if (variant in WORKFLOW_VARIANTS) {
    const { connections: runsAtOnce, durationMs } = plan;
    const warmUpRuns = warmUpMessages / STEP_NAMES.length;
    const workflowPlan = { runsAtOnce, durationMs, rounds, warmUpRuns };
    await compareWorkflows(variant, workflowPlan, findings);
  } else if (variant in ID_STARTERS) await compareToIds(variant);
  else await (variant in BATCH_STARTERS ? compareToBatches(variant) : compare(variant));
}

function only(): string[] {
  return values.only === "" ? [] : values.only.split(",");
}

async function runNodes(): Promise<void> {
  const { connections: connectionsOfNode, ...rest } = plan;
  const nodes = values.nodes.split(",").map(Number);
  const { against } = values;
  const asked = { plan: { ...rest, connectionsOfNode }, rounds, warmUpMessages, nodes, against };
  await compareNodes(destination, { ...asked, only: only() }, findings);
}

async function compareToIds(variant: string): Promise<void> {
  const subject = await ID_STARTERS[variant]!();
  await compareIds(subject, course);
  await subject.stop();
}

async function compareToBatches(variant: string): Promise<void> {
  const subject = await BATCH_STARTERS[variant]!();
  await compareBatches(subject, course);
  await subject.stop();
}

async function compareToPeers(): Promise<void> {
  const subjects = [floor, await startSqlite(), await startPostgresNode()];
  const wanted = values.only === "" ? Object.keys(PEERS) : values.only.split(",");
  for (const name of wanted) {
    const start = PEERS[name];
    if (start === undefined) throw new Error(`unknown peer ${name}`);
    const started = await start().catch((error: Error) => error);
    if (!(started instanceof Error)) subjects.push(started);
    else {
      const missing = `${name} could not be had: ${started.message}.`;
      console.log(missing);
      findings.note("peers", missing);
    }
  }
  await compareBesideFloor(subjects, "peers", course);
}

async function compare(variant: string): Promise<void> {
  const start = STARTERS[variant];
  if (start === undefined) throw new Error(`unknown variant ${variant}`);
  const subjects = [floor, await start()];
  if (values.against !== undefined) subjects.push(await ofCheckout(values.against, start));
  await compareBesideFloor(subjects, "messages", course);
}

function commandLine(): string {
  return ["npm run bench --", ...process.argv.slice(2)].join(" ");
}
