/** The rows of the waterfall as a tree: steps, the runs that they started, and folded ones of a long run. */
import type { FailureFunctionLog, Run } from "../../../sdk/src/answers/workflow.ts";
import type { TimedStep } from "./run-timeline.ts";

export type WaterfallRow = { readonly key: string; readonly level: number } & (
  | { readonly kind: "step"; readonly timed: TimedStep; readonly isExpanded?: boolean }
  /** The steps of a run that the step above started. */
  | {
      readonly kind: "child";
      readonly timed: TimedStep;
      readonly run: Run;
      readonly steps: readonly TimedStep[];
    }
  | { readonly kind: "fold"; readonly steps: readonly TimedStep[]; readonly isExpanded: boolean }
  | { readonly kind: "failure"; readonly call: FailureFunctionLog }
);

export interface ChildRun {
  readonly run: Run;
  readonly steps: readonly TimedStep[];
}

interface RowOptions {
  readonly steps: readonly TimedStep[];
  readonly children: ReadonlyMap<string, ChildRun>;
  readonly failure: FailureFunctionLog | undefined;
  /** Rows that the reader opened or closed. */
  readonly turned: ReadonlySet<string>;
}

export function rowsOf({ steps, children, failure, turned }: RowOptions): WaterfallRow[] {
  const rows = foldedOf(steps).flatMap((part): WaterfallRow[] => {
    if (part.length === 1 && !isFolded(part, steps.length)) {
      return stepRows(part[0]!, children, turned, 1);
    }
    const key = `fold-${part[0]!.key}`;
    const isExpanded = turned.has(key);
    const fold: WaterfallRow = { kind: "fold", key, level: 1, steps: part, isExpanded };
    const inner = isExpanded ? part.flatMap((timed) => stepRows(timed, children, turned, 2)) : [];
    return [fold, ...inner];
  });
  return failure === undefined
    ? rows
    : [...rows, { kind: "failure", key: "failure", level: 1, call: failure }];
}

function stepRows(
  timed: TimedStep,
  children: ReadonlyMap<string, ChildRun>,
  turned: ReadonlySet<string>,
  level: number,
): WaterfallRow[] {
  const child = children.get(timed.step.invokedWorkflowRunId ?? "");
  if (child === undefined) return [{ kind: "step", key: timed.key, level, timed }];
  const isExpanded = !turned.has(timed.key);
  const row: WaterfallRow = { kind: "step", key: timed.key, level, timed, isExpanded };
  if (!isExpanded) return [row];
  return [row, { kind: "child", key: `${timed.key}-run`, level: level + 1, timed, ...child }];
}

/** A long run: what has finished is folded in parts, what is open or went wrong and the last steps are not. */
function foldedOf(steps: readonly TimedStep[]): TimedStep[][] {
  if (steps.length <= UNFOLDED_MAX) return steps.map((timed) => [timed]);
  const size = Math.max(FOLD_MIN, Math.ceil(steps.length / FOLDS_MAX));
  const parts: TimedStep[][] = [];
  let open: TimedStep[] | null = null;
  for (const [index, timed] of steps.entries()) {
    const isPlain = timed.step.state === "STEP_SUCCESS" && timed.attempts.length === 1;
    if (!isPlain || index >= steps.length - LAST_SHOWN) {
      parts.push([timed]);
      open = null;
    } else if (open === null || open.length >= size) {
      open = [timed];
      parts.push(open);
    } else open.push(timed);
  }
  return parts;
}

function isFolded(part: readonly TimedStep[], count: number): boolean {
  return count > UNFOLDED_MAX && part.length > 1;
}

const UNFOLDED_MAX = 200;
const FOLD_MIN = 50;
const FOLDS_MAX = 100;
const LAST_SHOWN = 20;
