import { acknowledge, type Acknowledged, median, print } from "./batches.ts";
import type { Course } from "./course.ts";
import type { Subject } from "./subjects.ts";

/**
 * What a deduplication id of its own costs a message, as the SDK gives it to each. The messages are
 * delayed, so that nothing is measured but accepting them.
 */
export async function compareIds(subject: Subject, course: Course): Promise<void> {
  const { plan, rounds, warmUpMessages } = course;
  const without: Acknowledged[] = [];
  const withIds: Acknowledged[] = [];
  for (const hasId of [false, true]) {
    await acknowledge(subject, { ...plan, messages: warmUpMessages }, { hasId });
  }
  for (let round = 0; round < rounds; round++) {
    without.push(await acknowledge(subject, plan, { hasId: false }));
    withIds.push(await acknowledge(subject, plan, { hasId: true }));
  }
  console.log(`${subject.name}, accepting only:`);
  print("without an id", without);
  print("with an id", withIds);
  const perSecond = withIds.map((round, index) => round.perSecond / without[index]!.perSecond);
  const cpu = withIds.map((round, index) => {
    return round.cpuUsPerMessage / without[index]!.cpuUsPerMessage;
  });
  const { name } = subject;
  course.findings.add("ids", {
    cells: [name, "without an id", rate(without), "", cost(without), ""],
  });
  course.findings.add("ids", {
    cells: [
      name,
      "with an id",
      rate(withIds),
      median(perSecond).toFixed(2),
      cost(withIds),
      median(cpu).toFixed(2),
    ],
    bar: { name, value: median(cpu) },
  });
  console.log(
    `  with an id ${median(perSecond).toFixed(2)} times as many, ` +
      `${median(cpu).toFixed(2)} times the processor`,
  );
}

function rate(of: readonly Acknowledged[]): string {
  return median(of.map((round) => round.perSecond)).toFixed(0);
}

function cost(of: readonly Acknowledged[]): string {
  return median(of.map((round) => round.cpuUsPerMessage)).toFixed(0);
}
