/** Queues and flow-control keys, and what can be done with them. */
import type { FlowControlKey } from "../../../sdk/src/answers/line.ts";
import { act } from "../app/announce.ts";
import { call, withQuery } from "../app/api.ts";

/** When the rate of a key opens again; null when it is not used up. */
export function rateOpensAt(key: FlowControlKey, now: number): number | null {
  const endsAt = (key.ratePeriodStart + key.ratePeriod) * 1_000;
  return key.rateMax > 0 && key.rateCount >= key.rateMax && endsAt > now ? endsAt : null;
}

/** How many starts of the running period are used; 0 once it is over. */
export function rateUsed(key: FlowControlKey, now: number): number {
  return (key.ratePeriodStart + key.ratePeriod) * 1_000 > now ? key.rateCount : 0;
}

export function keyPath(key: string, verb: string): string {
  return `/v2/flowControl/${key.split("/").map(encodeURIComponent).join("/")}/${verb}`;
}

export function queuePath(name: string): string {
  return `/v2/queues/${encodeURIComponent(name)}`;
}

interface Line {
  readonly kind: "queue" | "key";
  readonly name: string;
}

/** Pauses or resumes a queue or a key; the toast has the way back. */
export async function setLinePaused(
  { kind, name }: Line,
  isPaused: boolean,
  canUndo = true,
): Promise<void> {
  const verb = isPaused ? "pause" : "resume";
  const path = kind === "queue" ? `${queuePath(name)}/${verb}` : keyPath(name, verb);
  const title = `${kind === "queue" ? "Queue" : "Key"} ${name}`;
  const words = isPaused
    ? { done: `${title} is paused.`, failed: `${title} was not paused.` }
    : { done: `${title} runs again.`, failed: `${title} was not resumed.` };
  const undo = canUndo ? () => void setLinePaused({ kind, name }, !isPaused, false) : undefined;
  await act(() => call(path, { method: "POST" }), words, undo);
}

/** The API sets both settings of a queue at once. */
export async function saveQueue(name: string, parallelism: number, paused: boolean): Promise<void> {
  await call("/v2/queues", { method: "POST", body: { queueName: name, parallelism, paused } });
}

export interface Pins {
  readonly parallelism: number | null;
  readonly rate: number | null;
  /** In seconds. */
  readonly period: number;
}

export async function pin(key: string, { parallelism, rate, period }: Pins): Promise<void> {
  const query = { parallelism, rate, period: rate === null ? null : period };
  await call(withQuery(keyPath(key, "pin"), query), { method: "POST" });
}

export async function unpin(key: string, what: readonly ("parallelism" | "rate")[]): Promise<void> {
  const query = Object.fromEntries(what.map((name) => [name, "true"]));
  await call(withQuery(keyPath(key, "unpin"), query), { method: "POST" });
}

/** `per min`, `per 5 min`, `per s`. */
export function periodText(seconds: number): string {
  const [size, unit] =
    seconds % 86_400 === 0
      ? [86_400, "day"]
      : seconds % 3_600 === 0
        ? [3_600, "h"]
        : seconds % 60 === 0
          ? [60, "min"]
          : [1, "s"];
  const count = seconds / size;
  return count === 1 ? `per ${unit}` : `per ${count} ${unit === "day" ? "days" : unit}`;
}
