import type { Act } from "../../core/act.ts";
import { decide } from "../../core/rules/registry.ts";
import type { WorkingSet } from "./working-set.ts";

/** How one act of a group ended. Errors are plain values, since they may cross threads. */
export type ActResult =
  { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly error: unknown };

/** How a group ended, act by act, and whether it gave room to somebody who waited for it. */
export interface GroupResult {
  readonly results: readonly ActResult[];
  readonly freedSlot: boolean;
}

/** Runs the rules of a group in order, each seeing what those before it have changed. */
export function runRules(acts: readonly Act[], rows: WorkingSet): ActResult[] {
  return acts.map((act) => {
    rows.due.begin("at" in act ? act.at : 0);
    const { changes, answer } = decide(act, rows);
    rows.apply(changes);
    return { ok: true, answer };
  });
}
