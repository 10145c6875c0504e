import { isReplayed, type RunEntry } from "../../model/workflow/run-entry.ts";
import type { RunHistory } from "../../model/workflow/run-history.ts";
import { LIST_BYTES, listedBytes } from "./entry-list.ts";
import { stepHistories } from "../../views/step-histories.ts";

/**
 * The entries that a new run keeps of a failed one, and those that are sent to its endpoint first.
 */
export interface RerunHistory {
  /** In the order of their ordinals, which they keep. */
  readonly kept: readonly RunEntry[];
  readonly resent: readonly RunEntry[];
}

/** From the beginning: only the payload is kept. */
export function restart({ entries }: RunHistory): RerunHistory {
  const kept = entries.filter(({ kind }) => kind === "payload");
  return { kept, resent: kept };
}

/**
 * From where it failed: a step with a result is not done again. Each parallel step without one is
 * done again; an answered call is not repeated, only its answer is delivered again. Open waits,
 * calls and invocations are dropped, since the endpoint submits them again.
 */
export function resumption(history: RunHistory): RerunHistory {
  const steps = stepHistories(history).flatMap((group) => group.steps);
  const open = steps.filter(({ result }) => result === undefined);
  const forgotten = new Set(open.map((step) => (step.answer ? undefined : step.open)));
  const kept = history.entries.filter((entry) => !forgotten.has(entry));
  const again = open.flatMap(({ answer, plan }) => answer ?? plan ?? []);
  if (again.length > 0) {
    return { kept, resent: again.toSorted((one, other) => one.ordinal - other.ordinal) };
  }
  const last = kept.findLast(({ kind }) => isReplayed(kind));
  return { kept, resent: last === undefined ? [] : [last] };
}

/** Bytes of the list of entries, as delivered. */
export function keptBytes(entries: readonly RunEntry[]): number {
  const replayed = entries.filter(({ kind }) => isReplayed(kind));
  return replayed.reduce((bytes, entry) => bytes + listedBytes(entry), LIST_BYTES);
}
