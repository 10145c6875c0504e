import type { Change } from "../../change.ts";
import type { AccountLimits } from "../../model/account/account.ts";
import { isReplayed, type RunEntry } from "../../model/workflow/run-entry.ts";
import type { RunState } from "../../model/workflow/run.ts";
import { listedBytes } from "./entry-list.ts";

/** Refusals are answers, not errors: the run may have ended before the submission arrived. */
export type Refused =
  /** The run has ended, or never existed. */
  | { readonly kind: "ended" }
  /** The run would exceed a limit of runs. */
  | { readonly kind: "too-much"; readonly what: "entries" | "bytes" | "events" };

/** The most entries of a run; each delivery carries all earlier ones. */
export const ENTRIES_MAX = 20_000;
export const RUN_BYTES_MAX = 100 * 1024 * 1024;

/**
 * Bytes of a step that an endpoint submits. The result of a call is escaped twice, and so may be
 * six times as large as the response.
 */
export function stepBytesMax({ messageBytesMax }: Pick<AccountLimits, "messageBytesMax">): number {
  return Math.min(6 * messageBytesMax, RUN_BYTES_MAX);
}

/** A run with one more entry. */
export interface Grown {
  readonly state: RunState;
  readonly ordinal: number;
  readonly change: Change;
}

export type NewEntry = Omit<RunEntry, "accountId" | "runId" | "createdAt" | "ordinal">;

/** Adds an entry to the end of a run. Its ordinal comes from the run's row, which is locked. */
export function grow(state: RunState, entry: NewEntry): Grown {
  const { accountId, runId, createdAt, nextOrdinal: ordinal } = state;
  const bytes = isReplayed(entry.kind) ? listedBytes(entry) : 0;
  return {
    state: { ...state, nextOrdinal: ordinal + 1, bytes: state.bytes + bytes },
    ordinal,
    change: { type: "run-entry.added", entry: { accountId, runId, createdAt, ordinal, ...entry } },
  };
}

/** The limit that a run exceeds; null when it may be stored. */
export function excess(state: RunState): "entries" | "bytes" | null {
  if (state.nextOrdinal > ENTRIES_MAX) return "entries";
  return state.bytes > RUN_BYTES_MAX ? "bytes" : null;
}
