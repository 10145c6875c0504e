import { median } from "./batches.ts";
import type { Course } from "./course.ts";
import type { Row } from "../results/results.ts";
import { type Measure, measure, type RoundPlan } from "./round.ts";
import type { Subject } from "./subjects.ts";
import { threadText } from "./thread-text.ts";

/** All in turns with the floor, which is the first of them. The others are stopped at the end. */
export async function compareBesideFloor(
  all: readonly Subject[],
  part: "messages" | "peers",
  course: Course,
): Promise<void> {
  const { plan, warmUpMessages, findings } = course;
  await measureEach(all, course, { ...plan, messages: warmUpMessages });
  const rounds: Measure[][] = [];
  for (let round = 0; round < course.rounds; round++) {
    rounds.push(await measureEach(all, course, plan));
  }
  for (const [index, subject] of all.entries()) {
    const own = rounds.map((measures) => measures[index]!);
    const floor = index === 0 ? null : rounds.map((measures) => measures[0]!);
    const row = rowOf(subject.name, own, floor);
    print(row, own);
    findings.add(part, row);
    if (index > 0) await subject.stop();
  }
}

async function measureEach(
  subjects: readonly Subject[],
  { destination }: Course,
  plan: RoundPlan,
): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const subject of subjects) measures.push(await measure(subject, destination, plan));
  return measures;
}

/** Ratios are medians over the rounds; more is better in both. */
function rowOf(name: string, rounds: readonly Measure[], floor: readonly Measure[] | null): Row {
  const of = (pick: (one: Measure) => number, digits = 0): string =>
    median(rounds.map(pick)).toFixed(digits);
  const ratio = (pick: (ours: Measure, below: Measure) => number): string =>
    floor === null ? "" : median(rounds.map((ours, at) => pick(ours, floor[at]!))).toFixed(2);
  const server = of((one) => one.serverUsPerMessage);
  const cells = [
    name,
    of((one) => one.messagesPerSecond),
    ratio((ours, below) => ours.messagesPerSecond / below.messagesPerSecond),
    of((one) => one.cpuUsPerMessage),
    ratio((ours, below) => below.cpuUsPerMessage / ours.cpuUsPerMessage),
    of((one) => one.threadUsPerMessage.main),
    of((one) => one.threadUsPerMessage.writer),
    of((one) => one.threadUsPerMessage.reader + one.threadUsPerMessage.others),
    server === "0" ? "" : server,
    of((one) => one.p50Ms, 1),
    of((one) => one.p99Ms, 1),
    of((one) => one.rssMb),
  ];
  return { cells, bar: { name, value: median(rounds.map((one) => one.messagesPerSecond)) } };
}

export const FLOOR_HEADING =
  "variant                          msg/s  of floor  cpu us  of floor   p50 ms  p99 ms  rss MB";

function print({ cells }: Row, rounds: readonly Measure[]): void {
  const [name = "", rate = "", ofRate = "", cpu = "", ofCpu = ""] = cells;
  const [server = "", p50 = "", p99 = "", rss = ""] = cells.slice(8);
  const texts = [
    name.padEnd(30),
    rate.padStart(7),
    ofRate.padStart(9),
    cpu.padStart(7),
    ofCpu.padStart(9),
    p50.padStart(8),
    p99.padStart(7),
    rss.padStart(7),
  ];
  console.log(texts.join(" "));
  console.log(`  ${threadText(rounds)}`);
  if (server !== "") console.log(`  cpu us/msg of its database server: ${server}`);
  const refused = rounds.reduce((sum, one) => sum + one.refused, 0);
  if (refused > 0) console.log(`  ${refused} publishes were refused`);
}
