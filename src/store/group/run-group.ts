import { type Act, decide } from "../../core/rules/registry.ts";
import type { WorkingSet } from "./working-set.ts";

/** The result of one act of a group. Errors are plain values, since they may cross threads. */
export type ActResult =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly error: unknown };

/** The result of each act, and whether the group freed a slot that a waiting message can use. */
export interface GroupResult {
  readonly results: readonly ActResult[];
  readonly freedSlot: boolean;
}

/** Runs the rules of a group in order; each sees what the earlier ones have changed. */
export function runRules(acts: readonly Act[], rows: WorkingSet): ActResult[] {
  return acts.map((act) => {
    rows.due.begin("at" in act ? act.at : 0);
    const { changes, answer } = decide(act, rows);
    rows.apply(changes);
    return { ok: true, answer };
  });
}
