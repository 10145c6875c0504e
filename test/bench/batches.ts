import { besides, Child } from "./child.ts";
import { cpuUs } from "./process-stats.ts";
import type { Course } from "./course.ts";
import type { RoundPlan } from "./round.ts";
import { BENCH_TOKEN, type Subject } from "./subjects.ts";

export interface Acknowledged {
  readonly perSecond: number;
  readonly cpuUsPerMessage: number;
  readonly refused: number;
}

/**
 * How many messages are acknowledged in a second, one to a request and many to a batch, in turns.
 * The messages are delayed, so that nothing is measured but accepting them.
 */
export async function compareBatches(subject: Subject, course: Course): Promise<void> {
  const { plan, rounds, warmUpMessages, findings } = course;
  const pairs: [Acknowledged, Acknowledged][] = [];
  await acknowledge(subject, { ...plan, messages: warmUpMessages }, {});
  // A batch is read in one go, so that as many messages are far fewer calls.
  const inBatches = { batchCount: BATCH_COUNT };
  await acknowledge(subject, { ...plan, messages: 10 * warmUpMessages }, inBatches);
  for (let round = 0; round < rounds; round++) {
    const single = await acknowledge(subject, plan, {});
    pairs.push([single, await acknowledge(subject, plan, inBatches)]);
  }
  const ratio = median(pairs.map(([single, batch]) => batch.perSecond / single.perSecond));
  console.log(`${subject.name}, accepting only:`);
  for (const [index, name] of ["one to a request", `batches of ${BATCH_COUNT}`].entries()) {
    const own = pairs.map((pair) => pair[index]!);
    print(name, own);
    const perSecond = median(own.map((round) => round.perSecond));
    const cpu = median(own.map((round) => round.cpuUsPerMessage)).toFixed(0);
    const shown = index === 0 ? "" : ratio.toFixed(1);
    const cells = [subject.name, name, perSecond.toFixed(0), shown, cpu];
    findings.add("batches", { cells, bar: { name: `${subject.name}, ${name}`, value: perSecond } });
  }
  console.log(`  batches accept ${ratio.toFixed(1)} times as many`);
}

export async function acknowledge(
  subject: Subject,
  plan: RoundPlan,
  { batchCount = 1, hasId = false }: { batchCount?: number; hasId?: boolean },
): Promise<Acknowledged> {
  const cpuBefore = cpuUs(subject.pid);
  const publisher = new Child(besides("publisher.ts"), [
    JSON.stringify({
      ...plan,
      batchCount,
      hasId,
      delay: "1h",
      port: subject.port,
      tokens: [BENCH_TOKEN],
      targets: ["http://127.0.0.1:9/hook"],
    }),
  ]);
  const { acknowledged, elapsedMs, refused } = JSON.parse(await publisher.line()) as {
    acknowledged: number;
    elapsedMs: number;
    refused: number;
  };
  return {
    perSecond: acknowledged / (elapsedMs / 1000),
    cpuUsPerMessage: (cpuUs(subject.pid) - cpuBefore) / acknowledged,
    refused,
  };
}

export function print(name: string, rounds: readonly Acknowledged[]): void {
  const perSecond = median(rounds.map((round) => round.perSecond)).toFixed(0);
  const cpu = median(rounds.map((round) => round.cpuUsPerMessage)).toFixed(0);
  console.log(`  ${name.padEnd(18)} ${perSecond.padStart(7)} msg/s ${cpu.padStart(6)} cpu us/msg`);
  const refused = rounds.reduce((sum, round) => sum + round.refused, 0);
  if (refused > 0) console.log(`  ${refused} requests were refused`);
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const BATCH_COUNT = 100;
