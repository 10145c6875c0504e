import { median } from "./batches.ts";
import type { ThreadTimes } from "./process-stats.ts";
import type { Measure } from "./round.ts";

export const THREAD_NAMES = ["main", "writer", "reader", "others"] as const;

/** Processor time of each thread for a message, as a line of text. */
export function threadText(rounds: readonly Measure[]): string {
  const of = (name: keyof ThreadTimes): string =>
    median(rounds.map((round) => round.threadUsPerMessage[name])).toFixed(0);
  return `cpu us/msg by thread: ${THREAD_NAMES.map((name) => `${name} ${of(name)}`).join(", ")}`;
}
