import type { AttemptRecord } from "../message/attempt.ts";
import type { DeliverySettings, HeaderList, HttpMethod, RunInstance } from "../message/message.ts";
import type { Instant } from "../time.ts";
import type { CallType, FailureCall, RunPhase, InvokedHistory } from "./run.ts";

/** The log of a run: its steps with their states, and the report of its failure. */

export const STEP_STATES = [
  "STEP_PROGRESS",
  "STEP_RETRY",
  "STEP_SUCCESS",
  "STEP_FAILED",
  "STEP_CANCELED",
] as const;
export type StepState = (typeof STEP_STATES)[number];

export const RUN_STATES = {
  started: "RUN_STARTED",
  success: "RUN_SUCCESS",
  failed: "RUN_FAILED",
  canceled: "RUN_CANCELED",
} as const satisfies Record<RunPhase, string>;
export type RunLogState = (typeof RUN_STATES)[RunPhase];

/** What a run waits for that does nothing else. */
export const RUN_WAITS = ["sleep", "event"] as const;
export type RunWait = (typeof RUN_WAITS)[number];

/** How many runs the tabs of a list would show, by the words of its filters. */
export interface RunCounts {
  readonly states: Readonly<Record<RunLogState | "STEP_RETRY", number>>;
  readonly waitingFor: Readonly<Record<RunWait, number>>;
  /** There are older runs, which are not counted. */
  readonly isAbout: boolean;
  /** There are more open runs than were read. */
  readonly isOpenAbout: boolean;
}

/** Undefined where there is nothing to report to. */
export const FAILURE_STATES = {
  "in-progress": "CALLBACK_INPROGRESS",
  success: "CALLBACK_SUCCESS",
  failed: "CALLBACK_FAIL",
  cancelled: "CALLBACK_CANCELED",
  absent: undefined,
} as const satisfies Record<FailureCall["state"], string | undefined>;

/** Steps that run in sequence or in parallel, or one in progress that is not known yet. */
export interface StepGroup {
  readonly type: "sequential" | "parallel" | "next";
  readonly steps: readonly (StepRecord | NextRecord)[];
}

/** A delivery that asks the endpoint for a step it has not named yet. */
export interface NextRecord extends Sending {
  readonly messageId: string;
  /** The step that failed in it, if the endpoint named one in its answer. */
  readonly stepName?: string | undefined;
  readonly state: StepState;
}

/** The state of a delivery. */
export interface Sending {
  readonly settings?: DeliverySettings | undefined;
  readonly nextDeliveryAt?: Instant | undefined;
  readonly errors: readonly AttemptRecord[];
}

export interface StepRecord extends Sending {
  /** Absent for the payload of the run. */
  readonly stepId?: number | undefined;
  readonly stepName: string;
  readonly stepType: string;
  readonly callType: CallType;
  readonly messageId: string;
  readonly state: StepState;
  readonly createdAt: Instant;
  readonly concurrent: number;
  readonly out?: string | undefined;
  /** For the payload: the forwarded headers. */
  readonly headers?: HeaderList | undefined;
  readonly call?: CallRecord | undefined;
  readonly sleepForMs?: number | undefined;
  /** Unix seconds. */
  readonly sleepUntil?: number | undefined;
  readonly waitEventId?: string | undefined;
  readonly waitTimeout?: boolean | undefined;
  readonly waitDeadlineAt?: Instant | undefined;
  /** How long it may wait, as requested. */
  readonly waitMs?: number | undefined;
  readonly invoked?: InvokedRun | undefined;
}

/** A call to a third party, and its last response. */
export interface CallRecord {
  readonly url: string;
  readonly method: HttpMethod;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
  readonly answer?: AttemptRecord | undefined;
}

export interface InvokedRun extends RunInstance {
  readonly workflowUrl: string;
  /** The payload of the invoked run, while it is stored. */
  readonly given?: InvokedHistory | undefined;
}

/** The call that reports a failure. */
export interface FailureLog {
  readonly messageId: string;
  readonly state: Exclude<FailureCall["state"], "absent">;
  readonly url: string;
  readonly retries?: number | undefined;
  readonly failed: AttemptRecord | null;
  /** The last response to the report. */
  readonly answer: AttemptRecord | null;
  readonly errors: readonly AttemptRecord[];
}
