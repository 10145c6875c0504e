import { parseArgs } from "node:util";

import { compareBatches, median } from "./batches.ts";
import { startDestination } from "./destination.ts";
import { addDelayed } from "./fill.ts";
import { compareGrowth, type Course, measureCold } from "./growth/compare.ts";
import { COLD_VARIANTS, growthVariant } from "./growth/variants.ts";
import { IDLE_VARIANTS, measureIdle } from "./idle.ts";
import { PEERS } from "./peers/peers.ts";
import { type Measure, measure, type RoundPlan } from "./round.ts";
import {
  ofCheckout,
  startFloor,
  startPostgresNode,
  startSqlite,
  type Subject,
} from "./subjects.ts";
import { threadText } from "./thread-text.ts";
import { compareWorkflows, WORKFLOW_VARIANTS } from "./workflows/compare.ts";
import { measureSleeping } from "./workflows/sleeping.ts";
import { STEP_NAMES } from "./workflows/step-clock.ts";

/**
 * `npm run bench`: the service beside an in-memory relay on the same HTTP stack, in turns, so that
 * whatever else the machine does happens to both. Ratios are medians over the rounds.
 */
const { values } = parseArgs({
  options: {
    variants: { type: "string", default: "sqlite,sqlite-waiting,postgres,postgres-waiting" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    connections: { type: "string", default: "64" },
    bytes: { type: "string", default: "256" },
    /** Messages before the first round: the hot code of each subject is compiled by then. */
    "warm-up": { type: "string", default: "20000" },
    waiting: { type: "string", default: "1000000" },
    runs: { type: "string", default: "100000" },
    /** Of the variants of retention: enough to be deleted in every round. */
    "old-messages": { type: "string", default: "400000" },
    /** What people would use in our place, in the same rounds, in place of the variants. */
    peers: { type: "boolean", default: false },
    /** The folder of another checkout, to be measured in the same rounds. */
    against: { type: "string" },
  },
});

const waiting = Number(values.waiting);
const STARTERS: Readonly<Record<string, () => Promise<Subject>>> = {
  sqlite: () => startSqlite(),
  "sqlite-waiting": () => startSqlite(addDelayed(waiting), `, ${waiting} waiting`),
  postgres: () => startPostgresNode(),
  "postgres-waiting": () => startPostgresNode(addDelayed(waiting), `, ${waiting} waiting`),
};

const BATCH_STARTERS: Readonly<Record<string, () => Promise<Subject>>> = {
  "sqlite-batch": () => startSqlite(),
  "postgres-batch": () => startPostgresNode(),
};

const plan: RoundPlan = {
  connections: Number(values.connections),
  bodyBytes: Number(values.bytes),
  durationMs: Number(values.seconds) * 1000,
};

const warmUpMessages = Number(values["warm-up"]);

/** One at a time a message takes a few milliseconds. */
const IDLE_PLAN = { messages: 500, warmUpMessages: warmUpMessages / 10 };

const destination = await startDestination();
const floor = await startFloor();
console.log(`node ${process.version}, ${plan.connections} connections, ${plan.bodyBytes} bytes`);
console.log(
  "variant                    msg/s  of floor  cpu us  of floor   p50 ms  p99 ms  rss MB",
);
if (values.peers) await compareToPeers();
const course: Course = {
  destination,
  plan,
  rounds: Number(values.rounds),
  warmUpMessages,
};
for (const variant of values.peers ? [] : values.variants.split(",")) await run(variant);
await floor.stop();
await destination.stop();

async function run(variant: string): Promise<void> {
  const { rounds } = course;
  const growth = growthVariant(variant);
  if (growth !== null) await compareGrowth(await growth(Number(values["old-messages"])), course);
  else if (variant in COLD_VARIANTS) await measureCold(variant, course);
  else if (variant in IDLE_VARIANTS) await measureIdle(variant, { ...plan, ...IDLE_PLAN });
  else if (variant === "sleeping") await measureSleeping(Number(values.runs));
  else if (variant in WORKFLOW_VARIANTS) {
    const { connections: runsAtOnce, durationMs } = plan;
    const warmUpRuns = warmUpMessages / STEP_NAMES.length;
    await compareWorkflows(variant, { runsAtOnce, durationMs, rounds, warmUpRuns });
  } else await (variant in BATCH_STARTERS ? compareToBatches(variant) : compare(variant));
}

async function compareToBatches(variant: string): Promise<void> {
  const subject = await BATCH_STARTERS[variant]!();
  await compareBatches(subject, plan, Number(values.rounds), warmUpMessages);
  await subject.stop();
}

async function compareToPeers(): Promise<void> {
  const subjects = [await startSqlite(), await startPostgresNode()];
  for (const [name, start] of Object.entries(PEERS)) {
    const started = await start().catch((error: Error) => error);
    if (started instanceof Error) console.log(`${name} cannot be had here: ${started.message}`);
    else subjects.push(started);
  }
  await compareEach(subjects);
}

async function compare(variant: string): Promise<void> {
  const start = STARTERS[variant];
  if (start === undefined) throw new Error(`unknown variant ${variant}`);
  const subjects = [await start()];
  if (values.against !== undefined) subjects.push(await ofCheckout(values.against, start));
  await compareEach(subjects);
}

/** All in turns with the floor. */
async function compareEach(subjects: readonly Subject[]): Promise<void> {
  const all = [floor, ...subjects];
  // The first round warms all up and is not counted.
  await measureEach(all, { ...plan, messages: warmUpMessages });
  const rounds: Measure[][] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    rounds.push(await measureEach(all, plan));
  }
  for (const [index, subject] of all.entries()) {
    const own = rounds.map((measures) => measures[index]!);
    const pairs = rounds.map((measures): [Measure, Measure] => [measures[0]!, measures[index]!]);
    print(subject.name, own, index === 0 ? undefined : pairs);
    if (index > 0) await subject.stop();
  }
}

async function measureEach(subjects: readonly Subject[], roundPlan: RoundPlan): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const subject of subjects) measures.push(await measure(subject, destination, roundPlan));
  return measures;
}

function print(
  name: string,
  rounds: readonly Measure[],
  pairs?: readonly [Measure, Measure][],
): void {
  const of = (pick: (measure: Measure) => number): number => median(rounds.map(pick));
  const ratio = (pick: (pair: [Measure, Measure]) => number): string =>
    pairs ? median(pairs.map(pick)).toFixed(2) : "";
  const cells = [
    name.padEnd(24),
    of((one) => one.messagesPerSecond)
      .toFixed(0)
      .padStart(7),
    ratio(([below, ours]) => ours.messagesPerSecond / below.messagesPerSecond).padStart(9),
    of((one) => one.cpuUsPerMessage)
      .toFixed(0)
      .padStart(7),
    ratio(([below, ours]) => below.cpuUsPerMessage / ours.cpuUsPerMessage).padStart(9),
    of((one) => one.p50Ms)
      .toFixed(1)
      .padStart(8),
    of((one) => one.p99Ms)
      .toFixed(1)
      .padStart(7),
    of((one) => one.rssMb)
      .toFixed(0)
      .padStart(7),
  ];
  console.log(cells.join(" "));
  console.log(`  ${threadText(rounds)}`);
  const serverUs = of((one) => one.serverUsPerMessage);
  if (serverUs > 0) console.log(`  cpu us/msg of its database server: ${serverUs.toFixed(0)}`);
  const refused = rounds.reduce((sum, one) => sum + one.refused, 0);
  if (refused > 0) console.log(`  ${refused} publishes were refused`);
}
