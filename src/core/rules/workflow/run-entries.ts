import type { Change } from "../../change.ts";
import type { AccountLimits } from "../../model/account/account.ts";
import { isReplayed, type RunEntry } from "../../model/workflow/run-entry.ts";
import type { RunState } from "../../model/workflow/run.ts";
import { listedBytes } from "./entry-list.ts";

/** No run is meant to be so long; each delivery carries all that came before it. */
export const ENTRIES_MAX = 20_000;
export const RUN_BYTES_MAX = 100 * 1024 * 1024;

/**
 * Bytes of a step that an endpoint submits. A result of a call is escaped twice on its way back, and
 * so may be six times as large as the answer was.
 */
export function stepBytesMax({ messageBytesMax }: Pick<AccountLimits, "messageBytesMax">): number {
  return Math.min(6 * messageBytesMax, RUN_BYTES_MAX);
}

/** A run with one entry more. */
export interface Grown {
  readonly state: RunState;
  readonly ordinal: number;
  readonly change: Change;
}

export type NewEntry = Omit<RunEntry, "accountId" | "runId" | "createdAt" | "ordinal">;

/** Puts an entry at the end of a run. Its place comes from the run's row, which is locked. */
export function grow(state: RunState, entry: NewEntry): Grown {
  const { accountId, runId, createdAt, nextOrdinal: ordinal } = state;
  const bytes = isReplayed(entry.kind) ? listedBytes(entry) : 0;
  return {
    state: { ...state, nextOrdinal: ordinal + 1, bytes: state.bytes + bytes },
    ordinal,
    change: { type: "run-entry.added", entry: { accountId, runId, createdAt, ordinal, ...entry } },
  };
}

/** What a run has too much of; null when it may be stored. */
export function excess(state: RunState): "entries" | "bytes" | null {
  if (state.nextOrdinal > ENTRIES_MAX) return "entries";
  return state.bytes > RUN_BYTES_MAX ? "bytes" : null;
}
