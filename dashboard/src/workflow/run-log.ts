/** What the API says of a run: its steps in groups, and its events. */
import type { HeaderValues } from "../message/log-entry.ts";

export type RunState = "RUN_STARTED" | "RUN_SUCCESS" | "RUN_FAILED" | "RUN_CANCELED";
export type StepState =
  | "STEP_PROGRESS"
  | "STEP_RETRY"
  | "STEP_SUCCESS"
  | "STEP_FAILED"
  | "STEP_CANCELED";

/** A failed attempt. */
export interface StepError {
  readonly error: string;
  /** 0 when nothing was answered. */
  readonly status: number;
  readonly body?: string;
  readonly bodyTruncated?: boolean;
  readonly headers?: HeaderValues;
  /** When the attempt ended. */
  readonly time: number;
}

/** A step; one that the endpoint has not named yet has neither name nor type. */
export interface Step {
  readonly stepId?: number;
  readonly stepName?: string;
  readonly stepType?: string;
  readonly state: StepState;
  readonly messageId: string;
  readonly createdAt?: number;
  readonly out?: string;
  readonly headers?: HeaderValues;
  readonly retries?: number;
  readonly nextDeliveryTime?: number;
  readonly errors?: readonly StepError[];
  readonly callUrl?: string;
  readonly callMethod?: string;
  readonly callBody?: string;
  readonly callHeaders?: HeaderValues;
  readonly callResponseStatus?: number;
  readonly callResponseBody?: string;
  readonly callResponseHeaders?: HeaderValues;
  /** In milliseconds. */
  readonly sleepFor?: number;
  /** In seconds since 1970. */
  readonly sleepUntil?: number;
  readonly waitEventId?: string;
  readonly waitTimeout?: boolean;
  readonly waitTimeoutDeadline?: number;
  readonly invokedWorkflowRunId?: string;
  readonly invokedWorkflowUrl?: string;
  readonly invokedWorkflowCreatedAt?: number;
  readonly invokedWorkflowRunBody?: string;
}

export interface StepGroup {
  readonly type: "sequential" | "parallel" | "next";
  readonly steps: readonly Step[];
}

export interface FailureFunction {
  readonly messageId: string;
  readonly url: string;
  readonly state?: string;
  readonly responseStatus?: number;
  readonly responseBody?: string;
  readonly responseHeaders?: HeaderValues;
  readonly failStatus?: number;
  readonly failResponse?: string;
  readonly errors?: readonly StepError[];
}

/** One of `GET /v2/workflows/logs`, and of the events grouped by run. */
export interface RunLog {
  readonly workflowRunId: string;
  readonly workflowUrl: string;
  readonly workflowState: RunState;
  readonly workflowRunCreatedAt: number;
  readonly workflowRunCompletedAt?: number;
  readonly workflowRunCallerIp?: string;
  readonly workflowRunResponse?: string;
  readonly dlqId?: string;
  readonly labels?: readonly string[];
  readonly flowControlKey?: string;
  readonly steps: readonly StepGroup[];
  readonly invoker?: {
    readonly workflowRunId: string;
    readonly workflowUrl: string;
    readonly workflowRunCreatedAt?: number;
  };
  readonly failureFunction?: FailureFunction;
}

/** One of `GET /v2/workflows/events`. */
export interface RunEvent {
  readonly time: number;
  readonly state: RunState | StepState;
  /** Absent for an event of the whole run. */
  readonly messageId?: string;
  readonly nextDeliveryTime?: number;
  readonly error?: string;
  readonly responseStatus?: number;
  readonly responseBody?: string;
  readonly responseHeaders?: HeaderValues;
  readonly workflowRunId: string;
  readonly workflowCreatedAt: number;
}

export type StepKind = "run" | "call" | "sleep" | "event" | "child" | "next";

export function kindOf({ stepType, stepName }: Step): StepKind {
  if (stepName === undefined) return "next";
  if (stepType === "Call") return "call";
  if (stepType === "SleepFor" || stepType === "SleepUntil") return "sleep";
  if (stepType === "Wait" || stepType === "WaitForWebhook") return "event";
  return stepType === "Invoke" ? "child" : "run";
}

/** The steps of the workflow itself: the payload is none. */
export function groupsOf({ steps }: RunLog): readonly StepGroup[] {
  return steps.filter((group) => group.steps[0]?.stepType !== "Initial");
}

export function payloadOf({ steps }: RunLog): Step | null {
  return steps[0]?.steps[0]?.stepType === "Initial" ? steps[0].steps[0] : null;
}

export const UNNAMED = "next step";

/** An SDK names the step that failed in a header of its answer, before the step is in the log. */
export function nameOf(step: Step): string {
  if (step.stepName !== undefined) return step.stepName;
  return errorStepName(step.errors?.at(-1)?.headers) ?? UNNAMED;
}

export function errorStepName(headers: HeaderValues | undefined): string | null {
  const found = Object.entries(headers ?? {}).find(([name]) =>
    /^(upstash|svc)-error-step-name$/i.test(name),
  );
  return found?.[1][0] ?? null;
}

export function isEnded({ workflowState }: RunLog): boolean {
  return workflowState !== "RUN_STARTED";
}

/** Runs may share an id, one after another. */
export function runKey({ workflowRunId, workflowRunCreatedAt }: RunLog): string {
  return `${workflowRunId}@${workflowRunCreatedAt}`;
}

export function runHref(id: string, createdAt?: number): string {
  const at = createdAt === undefined ? "" : `?at=${createdAt}`;
  return `/runs/${encodeURIComponent(id)}${at}`;
}
