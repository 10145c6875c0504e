/** What waited in each step: counted by the server once a minute, and the newest as it is now. */
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import type { BacklogPoint } from "../answers/stats.ts";

/** One point for each instant, oldest first. A step without a count has the one before. */
export function filledBacklog(
  counted: readonly BacklogPoint[],
  times: readonly number[],
  now: BacklogPoint | null,
): BacklogPoint[] {
  let next = 0;
  let last: BacklogPoint = { at: 0, due: 0, later: 0, oldestDueMs: null };
  const points = times.map((at) => {
    while (next < counted.length && counted[next]!.at <= at) last = counted[next++]!;
    return { ...last, at };
  });
  const newest = points.at(-1);
  if (now === null || newest === undefined) return points;
  const oldestDueMs = now.due === 0 ? null : newest.oldestDueMs;
  return [...points.slice(0, -1), { ...now, at: newest.at, oldestDueMs }];
}

/** What waits now, by its reasons; null where the server does not say it exactly. */
export function backlogNow(report: WaitingReasons | null): BacklogPoint | null {
  if (report === null || report.isPartial || report.reasons.some(({ isAbout }) => isAbout)) {
    return null;
  }
  const sum = (isLater: boolean): number =>
    report.reasons
      .filter(({ reason }) => (reason === "delay" || reason === "retry") === isLater)
      .reduce((all, { count }) => all + count, 0);
  return { at: 0, due: sum(false), later: sum(true), oldestDueMs: null };
}
