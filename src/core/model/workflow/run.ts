import type { DeadLetterKey } from "../message/dead-letter.ts";
import type {
  Callback,
  DialectName,
  FlowControl,
  HeaderList,
  Instant,
  Message,
} from "../message/message.ts";
import type { Redaction } from "../message/message.ts";
import type { Step } from "./step.ts";

/** A run is named by whoever starts it. A name may be used again once the run before it has ended. */
export interface RunName {
  readonly accountId: string;
  readonly runId: string;
}

/** One run: of those with the same name, at most the latest has not ended. */
export interface RunKey extends RunName {
  readonly createdAt: Instant;
}

export type RunPhase = "started" | "success" | "failed" | "cancelled";

/** What changes about a run: one slim row, locked by everything that is done to the run. */
export interface RunState extends RunKey {
  readonly phase: RunPhase;
  /** The place of its next entry. */
  readonly nextOrdinal: number;
  /** Of the list of its entries, as it is delivered. */
  readonly bytes: number;
  /** Events that came before anybody waited for them. */
  readonly storedEvents: number;
  readonly endedAt: Instant | null;
  /** Why it failed, and what became of the call that reports it. */
  readonly failure: RunFailure | null;
  readonly run: Run;
}

export interface RunFailure {
  readonly deadLetter: Pick<DeadLetterKey, "diedAt" | "number">;
  /** The message that could not be delivered. */
  readonly messageId: string;
  /** Absent when there is nobody to report to. */
  readonly call?: FailureCall | undefined;
  /** The run that was made of it, when it was resumed or started again. */
  readonly followedBy?: Omit<RunKey, "accountId"> | undefined;
}

export interface FailureCall {
  readonly messageId: string;
  /** "absent": the endpoint says that it has no failure function. */
  readonly state: "in-progress" | "success" | "failed" | "cancelled" | "absent";
}

/** What was said when a run was started. Later messages of the run are made with it. */
export interface Run extends RunKey {
  readonly workflowUrl: string;
  readonly dialect: DialectName;
  /** Content-Type and the forwarded headers. */
  readonly headers: HeaderList;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly retryDelay?: string | undefined;
  readonly flowControl?: FlowControl | undefined;
  readonly failureCallback?: Callback | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly redact?: Redaction | undefined;
  readonly callerIp: string;
  readonly features: RunFeatures;
  /** The run that waits for this one. */
  readonly invoker?: Invoker | undefined;
}

/** What the endpoint of the run can do, and what it relies on. */
export interface RunFeatures {
  /** A list of entries that is too large to be sent is fetched by the endpoint. */
  readonly lazyFetch: boolean;
  /** An answer to the first delivery that is not a workflow's ends the run. */
  readonly detectTrigger: boolean;
  /** Settings of the trigger hold for every later message; else each stands on its own. */
  readonly inheritsSettings: boolean;
}

/** Where the end of a run is told: a step of another run. */
export interface Invoker extends RunKey {
  readonly step: Step;
  /** What the result is sent with. */
  readonly requested: Message;
}

export function isActive(state: RunState | null): state is RunState {
  return state?.phase === "started";
}
