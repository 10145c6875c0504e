import { median } from "../batches.ts";
import type { Course } from "../course.ts";
import type { Findings } from "../findings.ts";
import type { ThreadTimes } from "../process-stats.ts";
import { type Measure, measure, type RoundPlan } from "../round.ts";
import { THREAD_NAMES, threadText } from "../thread-text.ts";
import { COLD_VARIANTS, type Contest, LINES, USUAL } from "./variants.ts";

type Pair = readonly [Measure, Measure];

export async function measureCold(
  variant: string,
  { destination, plan, rounds }: Course,
): Promise<void> {
  const subject = await COLD_VARIANTS[variant]!();
  console.log(`${subject.name}:`);
  for (let round = 1; round <= rounds; round++) {
    const found = await measure(subject, destination, { ...plan, lines: LINES });
    print(`${LINES} queues and keys, round ${round}`, [found]);
  }
  await subject.stop();
}

/** Both in turns, and what the second one costs beside the first. */
export async function compareGrowth(contest: Contest, course: Course): Promise<void> {
  const { subjects, loads = USUAL } = contest;
  const [base, more] = contest.names;
  try {
    for (const { suffix, plan } of loads) {
      const named = { ...contest, names: [base + suffix, more + suffix] as const };
      await compareUnder(named, { ...course, plan: { ...course.plan, ...plan } });
    }
  } finally {
    for (const subject of new Set(subjects)) await subject.stop();
    await contest.destination?.stop();
  }
}

async function compareUnder(contest: Contest, course: Course): Promise<void> {
  const { names, subjects } = contest;
  const pairs = await measurePairs(contest, course);
  console.log(`${subjects[0].name}:`);
  const invalid = (await contest.invalid?.()) ?? null;
  if (invalid !== null) {
    console.log(`  ${names[1]}: ${invalid}`);
    return course.findings.note("growth", `${subjects[0].name}, ${names[1]}: ${invalid}.`);
  }
  for (const [index, name] of names.entries()) {
    print(
      name,
      pairs.map((pair) => pair[index]!),
    );
  }
  printRatios(pairs);
  addRows(contest, pairs, course.findings);
}

async function measurePairs(
  { subjects, using, destination: other }: Contest,
  { destination, plan, rounds, warmUpMessages }: Course,
): Promise<Pair[]> {
  const both = async (extra: Partial<RoundPlan>): Promise<Pair> => [
    await measure(subjects[0], destination, { ...plan, ...extra }),
    await measure(subjects[1], other ?? destination, { ...plan, ...using, ...extra }),
  ];
  await both({ messages: warmUpMessages });
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) pairs.push(await both({}));
  return pairs;
}

function printRatios(pairs: readonly Pair[]): void {
  const [rates, all] = ratio(pairs, (round) => round.messagesPerSecond);
  console.log(`  ratio of throughput ${rates} (${all})`);
  const [cpu, cpuAll] = ratio(pairs, (round) => round.cpuUsPerMessage);
  console.log(`  ratio of processor time ${cpu} (${cpuAll})`);
  const threads = THREAD_NAMES.map((name) => [name, threadRatio(pairs, name)] as const);
  const shown = threads.filter(([, text]) => text !== "");
  console.log(`    by thread: ${shown.map(([name, text]) => `${name} ${text}`).join(", ")}`);
  const [server] = ratio(pairs, (round) => round.serverUsPerMessage);
  if (server !== "") console.log(`  ratio of the database server's processor time ${server}`);
  console.log(`  ratio of publish p99 ${ratio(pairs, (round) => round.p99Ms)[0]}`);
}

/** The base, and below it the other load with its ratios. */
function addRows(
  { names, subjects, part = "growth" }: Contest,
  pairs: readonly Pair[],
  findings: Findings,
): void {
  const store = subjects[0].name;
  for (const [index, name] of names.entries()) {
    const rounds = pairs.map((pair) => pair[index]!);
    const of = (pick: (round: Measure) => number): string => median(rounds.map(pick)).toFixed(0);
    const beside = (pick: (round: Measure) => number): string =>
      index === 0 ? "" : ratio(pairs, pick)[0];
    const server = of((round) => round.serverUsPerMessage);
    const cells = [
      store,
      name,
      of((round) => round.messagesPerSecond),
      beside((round) => round.messagesPerSecond),
      of((round) => round.cpuUsPerMessage),
      beside((round) => round.cpuUsPerMessage),
      of((round) => round.threadUsPerMessage.main),
      of((round) => round.threadUsPerMessage.writer),
      of((round) => round.threadUsPerMessage.reader + round.threadUsPerMessage.others),
      server === "0" ? "" : server,
      of((round) => round.p99Ms),
      beside((round) => round.p99Ms),
    ];
    const growth = median(pairs.map(([base, more]) => more.cpuUsPerMessage / base.cpuUsPerMessage));
    const bar = { name: `${store}, ${name}`, value: growth };
    findings.add(part, index === 0 ? { cells } : { cells, bar });
  }
}

function threadRatio(pairs: readonly Pair[], name: keyof ThreadTimes): string {
  // What is close to nothing has a ratio that says nothing.
  if (median(pairs.map(([base]) => base.threadUsPerMessage[name])) < 1) return "";
  return ratio(pairs, (round) => round.threadUsPerMessage[name])[0];
}

/** The median over the rounds, and each of them; empty where the base has nothing. */
function ratio(pairs: readonly Pair[], pick: (round: Measure) => number): [string, string] {
  const ratios = pairs.map(([base, more]) => pick(more) / pick(base));
  if (!ratios.every(Number.isFinite)) return ["", ""];
  return [median(ratios).toFixed(2), ratios.map((each) => each.toFixed(2)).join(", ")];
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
