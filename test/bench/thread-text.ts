import { median } from "./batches.ts";
import type { ThreadTimes } from "./process-stats.ts";
import type { Measure } from "./round.ts";

/** Processor time of each thread for a message, as a line of text. */
export function threadText(rounds: readonly Measure[]): string {
  const of = (name: keyof ThreadTimes): string =>
    median(rounds.map((round) => round.threadUsPerMessage[name])).toFixed(0);
  const names = ["main", "writer", "reader", "others"] as const;
  return `cpu us/msg by thread: ${names.map((name) => `${name} ${of(name)}`).join(", ")}`;
}
