/** How each of the last ticks of a schedule went. */
import type { ScheduleTick } from "../../../sdk/src/answers/schedule.ts";
import { counted } from "../app/format.ts";
import { messageHref } from "../message/message-href.ts";

/** `gone`: what it has sent is no longer in the log. */
export type TickOutcome = "delivered" | "failed" | "under way" | "skipped" | "gone";

/** The worst of its messages. */
export function outcomeOf({ states = {}, error, skippedCount }: ScheduleTick): TickOutcome {
  if (skippedCount !== undefined) return "skipped";
  if (error !== undefined) return "failed";
  const found = Object.values(states);
  if (found.includes("FAIL")) return "failed";
  if (found.includes("IN_PROGRESS")) return "under way";
  return found.includes("SUCCESS") ? "delivered" : "gone";
}

/** `Last 10 ticks: 8 delivered, 2 failed` */
export function ticksText(ticks: readonly ScheduleTick[]): string {
  const outcomes = ticks.map(outcomeOf);
  const parts = OUTCOMES.map((outcome) => {
    const count = outcomes.filter((each) => each === outcome).length;
    return count === 0 ? [] : [`${count} ${WORDS[outcome]}`];
  });
  return `Last ${counted(ticks.length, "tick")}: ${parts.flat().join(", ")}`;
}

/** Its message, or the list of its messages; null when it has none that is kept. */
export function tickHref(tick: ScheduleTick, scheduleId: string): string | null {
  const ids = Object.keys(tick.states ?? {});
  const [first] = ids;
  if (first === undefined) return null;
  if (tick.messageCount !== undefined)
    return `/messages?schedule=${encodeURIComponent(scheduleId)}`;
  return ids.length === 1 ? messageHref({ id: first }) : `/messages?ids=${ids.join(",")}`;
}

export const WORDS: Readonly<Record<TickOutcome, string>> = {
  delivered: "delivered",
  failed: "failed",
  "under way": "under way",
  skipped: "skipped",
  gone: "no longer in the log",
};
const OUTCOMES = Object.keys(WORDS) as TickOutcome[];
