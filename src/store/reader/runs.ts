import type {
  RunRef,
  RunKey,
  RunPhase,
  RunState,
  RunEntry,
  RunHistory,
} from "../../core/model/workflow/run.ts";
import type { RunFilter, RunLogFilter } from "../../core/model/workflow/run-filter.ts";
import type { Page, PageRequest } from "./page.ts";

export interface RunReader {
  get(ref: RunRef): Promise<StoredRun | null>;
  /** A run's entries in order: all, or at least one after an ordinal and up to `bytesMax`. */
  entries(key: RunKey, after?: number, bytesMax?: number): Promise<readonly RunEntry[]>;
  /** Whether a step that happens once in a run has happened; see openKey. */
  hasStep(key: RunKey, stepKey: string): Promise<boolean>;
  /** Runs that have not ended, by id. */
  active(accountId: string, filter: RunFilter, page: ActivePage): Promise<Page<RunState>>;
  /** How many of the newest runs are in each phase. */
  counts(accountId: string, newestMax: number): Promise<Readonly<Record<RunPhase, number>>>;
  /** Runs by creation time. A page ends early when their histories are too large. */
  list(accountId: string, filter: RunLogFilter, page: PageRequest): Promise<Page<StoredRun>>;
  /** All that is stored of what a run did; longer bodies of its calls are cut. */
  history(state: RunState, bodyBytesMax: number): Promise<RunHistory>;
}

export interface StoredRun {
  readonly state: RunState;
  /** What the workflow returned; null unless it has completed. */
  readonly response: Uint8Array | null;
}

/** In one order, and without bodies. */
export type ActivePage = Pick<PageRequest, "after" | "count">;
