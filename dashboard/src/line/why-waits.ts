/** Why the messages of a queue or a key wait, in a sentence. */
import type { FlowControlKey, Queue } from "../../../sdk/src/answers/line.ts";
import type { WaitingRow } from "../../../sdk/src/answers/message.ts";
import { second } from "../app/clock.ts";
import { roughText } from "../app/format.ts";
import { rateOpensAt } from "./line.ts";

export function whyQueueWaits(
  { paused, lag, parallelism }: Queue,
  reasons: readonly WaitingRow[],
): string | null {
  if (paused) return lag === 0 ? "paused" : "paused until you resume it";
  const row = rowOf("queue", reasons);
  if (row === undefined && lag <= parallelism) return null;
  if (row !== undefined && (row.reason === "delay" || row.reason === "retry")) {
    return row.reason === "delay" ? "their delay is not over" : "their retry is not due";
  }
  return parallelism === 1 ? "its one slot is taken" : `all ${parallelism} slots taken`;
}

export function whyKeyWaits(key: FlowControlKey, reasons: readonly WaitingRow[]): string | null {
  if (key.isPaused) return key.waitListSize === 0 ? "paused" : "paused until you resume it";
  const opensAt = rateOpensAt(key, second.value);
  if (key.waitListSize === 0) return null;
  if (opensAt !== null) return `rate used up, opens in ${roughText(opensAt - second.value)}`;
  if (key.parallelismMax > 0 && key.parallelismCount >= key.parallelismMax)
    return key.parallelismMax === 1
      ? "its one slot is taken"
      : `all ${key.parallelismMax} slots taken`;
  return rowOf("key", reasons) === undefined ? "about to start" : "held back";
}

function rowOf(kind: "queue" | "key", rows: readonly WaitingRow[]): WaitingRow | undefined {
  return rows.find(({ line }) => line?.kind === kind);
}

/** Those of a queue that are being sent: all but what waits in it, as far as it was counted. */
export function inFlightOf(
  { lag, parallelism }: Queue,
  rows: readonly Pick<WaitingRow, "count" | "isAbout">[],
): number {
  const waiting = rows.reduce((sum, { count }) => sum + count, 0);
  const isCounted = !rows.some(({ isAbout }) => isAbout);
  return Math.min(parallelism, isCounted ? Math.max(0, lag - waiting) : lag);
}

/** The rows of one line. */
export function reasonsOf(
  kind: "queue" | "key",
  name: string,
  rows: readonly WaitingRow[],
): WaitingRow[] {
  return rows.filter(({ line }) => line?.kind === kind && line.name === name);
}

/** When the oldest of them was published; null when the server does not say. */
export function oldestAt(rows: readonly WaitingRow[]): number | null {
  const times = rows.flatMap(({ oldest }) => (oldest === null ? [] : [oldest.createdAt]));
  return times.length === 0 ? null : Math.min(...times);
}
