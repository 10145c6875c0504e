import assert from "node:assert/strict";

import { CHILD_STEPS, RESULT, STEPS } from "./every-kind.ts";
import type { Journey } from "./journey.ts";

export interface LoggedRun {
  readonly workflowRunId: string;
  readonly workflowState: string;
  readonly workflowRunResponse?: string;
  readonly steps: readonly LoggedGroup[];
  /** Of a run that has failed. */
  readonly dlqId?: string;
  readonly failureFunction?: { readonly state: string };
}

interface LoggedGroup {
  readonly type: string;
  readonly steps: readonly LoggedStep[];
}

interface LoggedStep {
  readonly stepName?: string;
  readonly stepType?: string;
  readonly state: string;
  readonly waitTimeout?: boolean;
  readonly invokedWorkflowRunId?: string;
}

/**
 * What must hold of the log of a run that has ended, whichever process died on the way; and how the
 * race in it ended.
 */
export function requireWhole({ run, wasRaceTold }: Journey): "told" | "timed-out" {
  requireSuccess(run, STEPS);
  assert.deepEqual(JSON.parse(run.workflowRunResponse ?? "null"), RESULT);
  const timedOut = stepOf(run, "raced").waitTimeout === true;
  assert.ok(!(timedOut && wasRaceTold), "an event was told to a wait that had timed out");
  return timedOut ? "timed-out" : "told";
}

export function requireWholeChild(run: LoggedRun): void {
  requireSuccess(run, CHILD_STEPS);
  assert.deepEqual(JSON.parse(run.workflowRunResponse ?? "null"), RESULT.invoked);
}

export function invokedRunId(run: LoggedRun): string {
  return stepOf(run, "invoke").invokedWorkflowRunId ?? "";
}

function requireSuccess(run: LoggedRun, steps: readonly string[]): void {
  assert.equal(run.workflowState, "RUN_SUCCESS");
  assert.deepEqual(run.steps.map(outline), steps);
  const states = new Set(run.steps.flatMap((group) => group.steps.map(({ state }) => state)));
  assert.deepEqual([...states], ["STEP_SUCCESS"]);
}

function outline({ type, steps }: LoggedGroup): string {
  return `${type}: ${steps.map(({ stepType, stepName }) => `${stepType} ${stepName}`).join(", ")}`;
}

function stepOf(run: LoggedRun, name: string): LoggedStep {
  const found = run.steps.flatMap(({ steps }) => steps).filter(({ stepName }) => stepName === name);
  assert.equal(found.length, 1, name);
  return found[0]!;
}
