import type { DeadLetterKey } from "../message/dead-letter.ts";
import type { DialectChoice, HeaderList, Message, Settings } from "../message/message.ts";
import type { Instant } from "../time.ts";
import type { Step } from "./step.ts";

/** The id that the caller who starts a run gives it. An id may be reused once its run has ended. */
export interface RunName {
  readonly accountId: string;
  readonly runId: string;
}

/** One run: of those with the same id, at most the latest has not ended. */
export interface RunKey extends RunName {
  readonly createdAt: Instant;
}

export type RunPhase = "started" | "success" | "failed" | "canceled";

/** The mutable part of a run: one slim row, locked by every act on the run. */
export interface RunState extends RunKey {
  readonly phase: RunPhase;
  /** The ordinal of its next entry. */
  readonly nextOrdinal: number;
  /** Bytes of the list of its entries, as delivered. */
  readonly bytes: number;
  /** Events that arrived before a step waited for them. */
  readonly storedEvents: number;
  readonly endedAt: Instant | null;
  /** Why it failed, and the state of the call that reports it. */
  readonly failure: RunFailure | null;
  readonly run: Run;
}

export interface RunFailure {
  readonly deadLetter: Pick<DeadLetterKey, "diedAt" | "number">;
  /** The message that could not be delivered. */
  readonly messageId: string;
  /** Absent when the run has no failure callback and no failure function. */
  readonly call?: FailureCall | undefined;
  /** The run that resumes or restarts it. */
  readonly followedBy?: Omit<RunKey, "accountId"> | undefined;
}

export interface FailureCall {
  readonly messageId: string;
  /** "absent": the endpoint answers that it has no failure function. */
  readonly state: "in-progress" | "success" | "failed" | "cancelled" | "absent";
}

/** What a run was started with. Its later messages are made with its settings. */
export interface Run extends RunKey {
  readonly workflowUrl: string;
  readonly dialect: DialectChoice;
  /** Content-Type and the forwarded headers. */
  readonly headers: HeaderList;
  /** Without a callback: a run reports only its failure. */
  readonly settings: Settings;
  readonly callerIp: string;
  readonly features: RunFeatures;
  /** Of the trigger: one that repeats it starts nothing, also when the run has ended. */
  readonly deduplicationId?: string | undefined;
  /** The run that waits for this one. */
  readonly invoker?: Invoker | undefined;
}

/** The abilities of the run's endpoint. */
export interface RunFeatures {
  /** The endpoint fetches a list of entries that is too large to send. */
  readonly lazyFetch: boolean;
  /** A response to the first delivery that is not a workflow's ends the run. */
  readonly detectTrigger: boolean;
  /** Settings of the trigger apply to every later message; otherwise each message has its own. */
  readonly inheritsSettings: boolean;
}

/** The step of another run that waits for the end of this one. */
export interface Invoker extends RunKey {
  readonly step: Step;
  /** The message that delivers the result. */
  readonly requested: Message;
}

export function isActive(state: RunState | null): state is RunState {
  return state?.phase === "started";
}

/** A run by its id: the one created at that instant, else the latest. */
export interface RunRef extends RunName {
  readonly createdAt?: Instant | undefined;
}
