import type { Store } from "../../src/store/store.ts";
import { median } from "./batches.ts";
import type { Child } from "./child.ts";
import { addAccounts, addBehindKey, addKeys, addQueues } from "./fill.ts";
import { type Measure, measure, type RoundPlan } from "./round.ts";
import { startPostgresNode, startSqlite, type Subject, WITHOUT_NUMBERS } from "./subjects.ts";
import { threadText } from "./thread-text.ts";

/** Two loads that are held against each other, in turns. */
interface Contest {
  readonly names: readonly [string, string];
  readonly subjects: readonly [Subject, Subject];
  /** What the second one does otherwise. */
  readonly using?: Pick<RoundPlan, "lines" | "accounts">;
}

const LINES = 10_000;
const BEHIND = 100_000;
const ACCOUNTS = 1_000;

/** What queues, flow-control keys, many accounts and the numbers cost: with them, and without. */
export const LINE_VARIANTS: Readonly<Record<string, () => Promise<Contest>>> = {
  "sqlite-lines": async () => manyLines(await startSqlite(addQueuesAndKeys)),
  "postgres-lines": async () => manyLines(await startPostgresNode(addQueuesAndKeys)),
  "sqlite-accounts": async () =>
    manyAccounts(await startSqlite((store) => addAccounts(store, ACCOUNTS))),
  "postgres-accounts": async () =>
    manyAccounts(await startPostgresNode((store) => addAccounts(store, ACCOUNTS))),
  "sqlite-shut": async () =>
    besideShutKey(await startSqlite(), await startSqlite((store) => addBehindKey(store, BEHIND))),
  "postgres-shut": async () =>
    besideShutKey(
      await startPostgresNode(),
      await startPostgresNode((store) => addBehindKey(store, BEHIND)),
    ),
  "sqlite-numbers": async () =>
    withNumbers(await startSqlite(undefined, "", WITHOUT_NUMBERS), await startSqlite()),
  "postgres-numbers": async () =>
    withNumbers(await startPostgresNode(undefined, "", WITHOUT_NUMBERS), await startPostgresNode()),
};

/** The same lines, used from the first message on by a service that has just been started. */
export const COLD_VARIANTS: Readonly<Record<string, () => Promise<Subject>>> = {
  "sqlite-lines-cold": () => startSqlite((store) => addQueues(store, LINES)),
  "postgres-lines-cold": () => startPostgresNode((store) => addQueues(store, LINES)),
};

/** Where messages go, and what is asked of a subject, how often. */
export interface Course {
  readonly sink: Child;
  readonly sinkPort: number;
  readonly plan: RoundPlan;
  readonly rounds: number;
}

export async function measureCold(
  variant: string,
  { sink, sinkPort, plan, rounds }: Course,
): Promise<void> {
  const subject = await COLD_VARIANTS[variant]!();
  console.log(`${subject.name}:`);
  for (let round = 1; round <= rounds; round++) {
    const found = await measure(subject, sink, sinkPort, { ...plan, lines: LINES });
    print(`${LINES} queues and keys, round ${round}`, [found]);
  }
  await subject.stop();
}

async function addQueuesAndKeys(store: Store): Promise<void> {
  await addQueues(store, LINES);
  await addKeys(store, LINES);
}

function manyLines(subject: Subject): Contest {
  const names = ["without queues and keys", `${LINES} queues, ${LINES} keys`] as const;
  return { names, subjects: [subject, subject], using: { lines: LINES } };
}

function manyAccounts(subject: Subject): Contest {
  const names = ["one account", `${ACCOUNTS} accounts in turn`] as const;
  return { names, subjects: [subject, subject], using: { accounts: ACCOUNTS } };
}

function besideShutKey(empty: Subject, full: Subject): Contest {
  return { names: ["empty", `${BEHIND} behind a shut key`], subjects: [empty, full] };
}

function withNumbers(without: Subject, counting: Subject): Contest {
  return { names: ["counting nothing", "counting"], subjects: [without, counting] };
}

export async function compareLines(
  variant: string,
  { sink, sinkPort, plan, rounds }: Course,
): Promise<void> {
  const { names, subjects, using } = await LINE_VARIANTS[variant]!();
  const [without, withIt] = subjects;
  const one = (): Promise<Measure> => measure(without, sink, sinkPort, plan);
  const other = (): Promise<Measure> => measure(withIt, sink, sinkPort, { ...plan, ...using });
  for (let warmUp = 0; warmUp < 3; warmUp++) {
    await one();
    await other();
  }
  const pairs: [Measure, Measure][] = [];
  for (let round = 0; round < rounds; round++) pairs.push([await one(), await other()]);
  console.log(`${without.name}:`);
  print(
    names[0],
    pairs.map(([below]) => below),
  );
  print(
    names[1],
    pairs.map(([, above]) => above),
  );
  const ratios = pairs.map(([below, above]) => above.messagesPerSecond / below.messagesPerSecond);
  const all = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
  console.log(`  ratio ${median(ratios).toFixed(2)} (${all})`);
  const writers = pairs.map(
    ([below, above]) => above.threadUsPerMessage.writer / below.threadUsPerMessage.writer,
  );
  if (writers.every(Number.isFinite)) {
    console.log(`  ratio of the writer's processor time ${median(writers).toFixed(2)}`);
  }
  for (const subject of new Set(subjects)) await subject.stop();
}

function print(name: string, rounds: readonly Measure[]): void {
  const of = (pick: (round: Measure) => number): string => median(rounds.map(pick)).toFixed(0);
  const rate = of((round) => round.messagesPerSecond).padStart(6);
  const cpu = of((round) => round.cpuUsPerMessage).padStart(5);
  const p99 = of((round) => round.p99Ms).padStart(5);
  console.log(`  ${name.padEnd(28)} ${rate} msg/s ${cpu} cpu us/msg  publish p99 ${p99} ms`);
  console.log(`    ${threadText(rounds)}`);
  const refused = rounds.reduce((sum, round) => sum + round.refused, 0);
  if (refused > 0) console.log(`  ${refused} publishes were refused`);
}
