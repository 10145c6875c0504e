/** How many messages are in each state: now, or ended within a day. */
import type { GlobalParallelism } from "../../../sdk/src/answers/line.ts";
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import type { Series, StatPoint } from "../answers/stats.ts";
import { useResource } from "../app/resource.ts";
import type { TabCount } from "../parts/list-parts.tsx";
import { isOfAll, type MessageFilter } from "./message-filter.ts";

/** Nothing where a filter is set, which the counts of the account know nothing of. */
export function useStateCounts(filter: MessageFilter): Readonly<Record<string, TabCount>> {
  const isOn = isOfAll(filter);
  const waiting = useResource<WaitingReasons>(isOn ? "/v2/waiting" : null, 10_000);
  const sending = useResource<GlobalParallelism>(isOn ? "/v2/globalParallelism" : null, 10_000);
  const ended = useResource<Series>(isOn ? "/v2/stats?step=hour" : null, 30_000);
  return {
    ...waitingCounts(waiting.value),
    ...(sending.value === null
      ? {}
      : { ACTIVE: { count: sending.value.parallelismCount, says: "Now" } }),
    ...(ended.value === null ? {} : endedCounts(ended.value.points, ended.readAt ?? 0)),
  };
}

export function waitingCounts(report: WaitingReasons | null): Record<string, TabCount> {
  if (report === null) return {};
  const of = (isRetry: boolean): TabCount => {
    const rows = report.reasons.filter(({ reason }) => (reason === "retry") === isRetry);
    const count = rows.reduce((sum, row) => sum + row.count, 0);
    return { count, isAbout: report.isPartial || rows.some(({ isAbout }) => isAbout), says: "Now" };
  };
  return { CREATED: of(false), RETRY: of(true) };
}

/** Of the last 24 hours, with the one that has begun. */
export function endedCounts(points: readonly StatPoint[], now: number): Record<string, TabCount> {
  const from = Math.floor(now / HOUR_MS - 23) * HOUR_MS;
  const sum = (field: "delivered" | "deadLettered" | "canceled"): TabCount => ({
    count: points.reduce((all, point) => all + (point.at < from ? 0 : point[field]), 0),
    says: "In the last 24 hours",
  });
  return { DELIVERED: sum("delivered"), FAILED: sum("deadLettered"), CANCELED: sum("canceled") };
}

const HOUR_MS = 3_600_000;
