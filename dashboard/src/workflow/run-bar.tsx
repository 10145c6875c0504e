/** The steps of a run in a small bar, in their order: solid is work, hatched waiting. Its lengths are not times. */
import type { Run, StepLog } from "../../../sdk/src/answers/workflow.ts";
import { groupsOf, kindOf } from "./run-log.ts";
import { stepCounts } from "./run-state.ts";

export function RunBar({ run }: { readonly run: Run }) {
  const pieces = piecesOf(run);
  const { done, all } = stepCounts(run);
  const label = all === 0 ? "No step yet" : `${done} of ${all} steps done`;
  return (
    <svg class="mini" role="img" aria-label={label}>
      {pieces.map(({ fill, x, width }) => (
        <rect key={x} class={fill} x={`${x}%`} width={`${width}%`} height="10" />
      ))}
    </svg>
  );
}

interface BarPiece {
  readonly fill: string;
  readonly x: number;
  readonly width: number;
}

function piecesOf(run: Run): BarPiece[] {
  const weighed = merged(
    groupsOf(run).map(({ steps }) => ({ fill: fillOf(steps), weight: weightOf(steps) })),
  );
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  const isOpen = run.workflowState === "RUN_STARTED";
  // A run of few steps that has not ended does not look complete.
  const unit = 100 / Math.max(sum, isOpen ? OPEN_WEIGHT_MIN : 1);
  let x = 0;
  return weighed.map(({ fill, weight }) => {
    const piece = { fill, x, width: Math.max(0.5, weight * unit - BETWEEN) };
    x += weight * unit;
    return piece;
  });
}

interface Weighed {
  readonly fill: string;
  readonly weight: number;
}

/** Many steps of one kind in a row are one piece. */
function merged(all: readonly Weighed[]): Weighed[] {
  if (all.length <= PIECES_MAX) return [...all];
  const pieces: Weighed[] = [];
  for (const next of all) {
    const last = pieces.at(-1);
    if (last?.fill !== next.fill) pieces.push(next);
    else pieces[pieces.length - 1] = { fill: last.fill, weight: last.weight + next.weight };
  }
  return pieces;
}

function fillOf(steps: readonly StepLog[]): string {
  const has = (state: StepLog["state"]): boolean => steps.some((step) => step.state === state);
  if (has("STEP_FAILED")) return "err";
  if (has("STEP_RETRY")) return "hatch-warn";
  if (has("STEP_CANCELED")) return "stop";
  const open = steps.filter(({ state }) => state === "STEP_PROGRESS");
  const asked = open.length > 0 ? open : steps;
  if (asked.every(isWaiting)) return "hatch-hold";
  return open.length > 0 ? "live" : "ok";
}

function isWaiting(step: StepLog): boolean {
  const kind = kindOf(step);
  return kind === "sleep" || kind === "event";
}

function weightOf(steps: readonly StepLog[]): number {
  return steps.every(isWaiting) ? 3 : Math.min(3, 1 + Math.log2(steps.length));
}

const PIECES_MAX = 24;
const OPEN_WEIGHT_MIN = 6;
const BETWEEN = 1;
