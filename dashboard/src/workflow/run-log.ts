/** What the API says of a run: its steps in groups, and its events. */
import type { HeaderLists } from "../../../sdk/src/answers/words.ts";
import type { Run, StepGroup, StepLog } from "../../../sdk/src/answers/workflow.ts";

export type StepKind = "run" | "call" | "sleep" | "event" | "child" | "next";

export function kindOf({ stepType, stepName }: StepLog): StepKind {
  if (stepName === undefined) return "next";
  if (stepType === "Call") return "call";
  if (stepType === "SleepFor" || stepType === "SleepUntil") return "sleep";
  if (stepType === "Wait" || stepType === "WaitForWebhook") return "event";
  return stepType === "Invoke" ? "child" : "run";
}

/** The steps of the workflow itself: the payload is none. */
export function groupsOf({ steps }: Run): readonly StepGroup[] {
  return steps.filter((group) => group.steps[0]?.stepType !== "Initial");
}

export function payloadOf({ steps }: Run): StepLog | null {
  return steps[0]?.steps[0]?.stepType === "Initial" ? steps[0].steps[0] : null;
}

export const UNNAMED = "next step";

/** An SDK names the step that failed in a header of its answer, before the step is in the log. */
export function nameOf(step: StepLog): string {
  if (step.stepName !== undefined) return step.stepName;
  return errorStepName(step.errors?.at(-1)?.headers) ?? UNNAMED;
}

export function errorStepName(headers: HeaderLists | undefined): string | null {
  const found = Object.entries(headers ?? {}).find(([name]) =>
    /^(upstash|svc)-error-step-name$/i.test(name),
  );
  return found?.[1][0] ?? null;
}

export function isEnded({ workflowState }: Run): boolean {
  return workflowState !== "RUN_STARTED";
}

/** Runs may share an id, one after another. */
export function runKey({ workflowRunId, workflowRunCreatedAt }: Run): string {
  return `${workflowRunId}@${workflowRunCreatedAt}`;
}

export function runHref(id: string, createdAt?: number): string {
  const at = createdAt === undefined ? "" : `?at=${createdAt}`;
  return `/runs/${encodeURIComponent(id)}${at}`;
}
