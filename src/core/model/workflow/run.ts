import type { DeadLetterKey } from "../message/dead-letter.ts";
import type {
  DialectChoice,
  HeaderList,
  Message,
  RunInstance,
  Settings,
} from "../message/message.ts";
import type { Instant } from "../time.ts";
import type { AttemptRecord } from "../message/attempt.ts";
import type { LogEntry } from "../message/log-entry.ts";

/** The id that the caller who starts a run gives it. An id may be reused once its run has ended. */
export interface RunName {
  readonly accountId: string;
  readonly runId: string;
}

/** One run: of those with the same id, at most the latest has not ended. */
export interface RunKey extends RunName, RunInstance {}

export type RunPhase = "started" | "success" | "failed" | "canceled";

/** The mutable part of a run: one slim row, locked by every act on the run. */
export interface RunState extends RunKey {
  readonly phase: RunPhase;
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
  readonly followedBy?: RunInstance | undefined;
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
  readonly invoker?: Invoker | undefined;
  /** The failed run that it resumes or restarts. */
  readonly rerunOf?: RunInstance | undefined;
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
interface Invoker extends RunKey {
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

/** A step as the SDK describes it. Fields that the server does not read pass unchanged. */
export interface Step {
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
  /** 1, or how many run in parallel. */
  readonly concurrent: number;
  /** The step that a plan is for; a plan itself has the id 0. */
  readonly targetStep?: number | undefined;
}

/**
 * The keys of what may happen to a step once: it is planned, it is opened by a call, a wait or an
 * invocation, and it is closed by its result. A repeated submission gets the id of the first.
 */
export const planKey = (targetStep: number): string => `p:${targetStep}`;
export const openKey = (stepId: number): string => `o:${stepId}`;
export const resultKey = (stepId: number): string => `r:${stepId}`;

/** The workflow has created a webhook; its event id is the secret of its URL. */
export const hookKey = (eventId: string): string => `h:${eventId}`;

/** Only steps of this type are released by a webhook call, and by nothing else. */
export const isWebhookWait = ({ stepType }: Step): boolean => stepType === "WaitForWebhook";

/** One entry of a run's history. Its ordinal is fixed when it is added, and never changes. */
export interface RunEntry extends RunKey {
  readonly ordinal: number;
  readonly kind: EntryKind;
  /** The message that was created with it. */
  readonly messageId: string;
  /** The key of what may happen once in the run; see openKey. */
  readonly stepKey: string | null;
  readonly at: Instant;
  readonly body: Uint8Array;
}

/**
 * The content of an entry: the payload of the run, or the JSON of a step. An endpoint replays plans
 * and results; the others record what a step is waiting for. A hook has no content: its key is the
 * id of a webhook that the workflow has created.
 */
export const ENTRY_KINDS = [
  "payload",
  "plan",
  "result",
  "call",
  "call-result",
  "wait",
  "invoke",
  "hook",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The name that clients use. */
export type CallType = "step" | "toCallback" | "fromCallback";

export function callTypeOf(kind: EntryKind): CallType {
  if (kind === "call") return "toCallback";
  return kind === "call-result" ? "fromCallback" : "step";
}

/** Whether an entry is part of the delivered list. */
export function isReplayed(kind: EntryKind): boolean {
  return kind === "payload" || kind === "plan" || kind === "result";
}

/** All stored data of a run: its entries, and the states of its messages. */
export interface RunHistory {
  readonly entries: readonly RunEntry[];
  readonly messages: readonly MessageHistory[];
  /** The runs that it has invoked, as far as they are still stored. */
  readonly invoked: readonly InvokedHistory[];
}

export interface InvokedHistory {
  readonly run: Run;
  /** The beginning of its payload. */
  readonly payload: Uint8Array;
}

export interface MessageHistory {
  readonly message: Message;
  /** Its beginning. */
  readonly body: Uint8Array;
  /** In the order of time, each with its attempt. */
  readonly log: readonly LoggedAttempt[];
}

export interface LoggedAttempt {
  readonly entry: LogEntry;
  readonly attempt: AttemptRecord | null;
}
