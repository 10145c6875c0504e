import { isActive, type RunRef, type RunState } from "../../../core/model/workflow/run.ts";
import { runKey, type RunRows } from "../../group/run-rows.ts";

/** With all its headers a run may take some 100 kB. */
const RUNS_MAX = 500;

/**
 * The runs that were changed last and have not ended, as committed. Only this writer changes them,
 * so a step need not read its run and the facts of it again.
 */
export class ActiveRunCache {
  readonly #states = new Map<string, RunState>();

  /** A name without a creation time means the latest run, which only the table knows. */
  get({ accountId, runId, createdAt }: RunRef): RunState | undefined {
    if (createdAt === undefined) return undefined;
    return this.#states.get(runKey({ accountId, runId, createdAt }));
  }

  /** Called after the commit, so that a state that was rolled back is never cached. */
  remember({ added, changed }: RunRows): void {
    for (const states of [added, changed]) {
      for (const [key, state] of states) {
        this.#states.delete(key);
        if (isActive(state)) this.#states.set(key, state);
      }
    }
    for (const key of this.#states.keys()) {
      if (this.#states.size <= RUNS_MAX) break;
      this.#states.delete(key);
    }
  }

  /** Rows were changed without telling which. */
  forget(): void {
    this.#states.clear();
  }
}
