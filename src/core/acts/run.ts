import type { AttemptRecord } from "../model/message/attempt.ts";
import type { Message } from "../model/message/message.ts";
import type { Instant } from "../model/time.ts";
import type { Lease } from "../model/message/message-state.ts";
import type { Run, RunName } from "../model/workflow/run.ts";
import type { EntryKind } from "../model/workflow/run-entry.ts";
import type { Step } from "../model/workflow/step.ts";
import type { Waiter, WaiterKey } from "../model/workflow/waiter.ts";

/** All acts on runs; each locks its run first. */
export type RunAct =
  | StartRunAct
  | RestartFirstStepAct
  | AppendAct
  | ReplyAct
  | EndRunAct
  | WaitAct
  | NotifyAct
  | TimeOutWaitAct;

/** A run by its id: the one created at that instant, else the latest. */
export interface RunRef extends RunName {
  readonly createdAt?: Instant | undefined;
}

export interface StartRunAct {
  readonly rule: "start-run";
  readonly at: Instant;
  /** Its createdAt is moved when an earlier run with the same id has the same instant. */
  readonly run: Run;
  readonly payload: Uint8Array;
  /** The message that delivers the payload to the endpoint. */
  readonly requested: Message;
  /**
   * The node to which the delivery is leased if no line holds it back; null to wait in its line.
   */
  readonly nodeId: string | null;
  /** The step of another run that invokes this one. */
  readonly invoker: InvokerRef | null;
}

export interface InvokerRef {
  readonly ref: RunRef;
  readonly step: Step;
  readonly requested: Message;
  /** The message id of the entry that opens the step. */
  readonly messageId: string;
}

/**
 * The endpoint has answered with its own settings: its forwarded headers replace those of the
 * trigger, and the first step is sent again.
 */
export interface RestartFirstStepAct {
  readonly rule: "restart-first-step";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly requested: Message;
  readonly nodeId: string | null;
}

export interface AppendAct {
  readonly rule: "append";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly items: readonly AppendItem[];
}

export interface AppendItem {
  readonly kind: Extract<EntryKind, "plan" | "result" | "call">;
  readonly stepKey: string;
  /** The event id of the webhook that the step has created. */
  readonly hookId?: string | undefined;
  /** The JSON of the step. */
  readonly body: Uint8Array;
  /** The body of a call; empty for steps, which send the entries of the run. */
  readonly callBody: Uint8Array;
  readonly requested: Message;
  readonly nodeId: string | null;
}

/** Ends a run: the workflow has returned, or a caller cancels it. */
export interface EndRunAct extends RunEnding {
  readonly rule: "end-run";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly phase: "success" | "canceled";
}

export interface RunEnding {
  /** What the workflow returned. */
  readonly response: Uint8Array;
  /** The run that waits for this one and its step, as read before the act. */
  readonly invoker: (RunRef & { readonly stepId: number }) | null;
  /** The id of the message that reports the end to that run. */
  readonly invokerMessageId: string;
}

/** An endpoint has answered the delivery of a step with the steps it would otherwise submit. */
export interface ReplyAct {
  readonly rule: "reply";
  readonly at: Instant;
  readonly lease: Lease;
  readonly attempt: AttemptRecord;
  readonly ref: RunRef;
  readonly reply: RunReply;
}

export type RunReply =
  | { readonly kind: "steps"; readonly items: readonly AppendItem[] }
  | ({ readonly kind: "end" } & RunEnding);

export interface WaitAct {
  readonly rule: "wait";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly waiter: Omit<Waiter, "createdAt">;
  /** The id of the message that delivers the event, if it arrived before the wait. */
  readonly resultId: string;
  readonly nodeId: string | null;
}

export interface NotifyAct {
  readonly rule: "notify";
  readonly at: Instant;
  readonly eventId: string;
  readonly body: Uint8Array;
  readonly refs: readonly RunRef[];
  /** The ids of the messages that deliver the event; at most this many waiters are notified. */
  readonly messageIds: readonly string[];
  /** Only waiters whose entry has a smaller message id; null for all. */
  readonly before: string | null;
  /** Stored for the next wait of a run that does not wait now. */
  readonly isKept: boolean;
  /** A webhook call: accepted by runs that have created the webhook, and only for webhook waits. */
  readonly isHook: boolean;
}

/** The deadline of a wait has passed. */
export interface TimeOutWaitAct {
  readonly rule: "time-out-wait";
  readonly at: Instant;
  readonly key: WaiterKey;
  /** The same instant in due time, where due time is ahead of the clock. */
  readonly dueAt?: Instant | undefined;
  readonly messageId: string;
}

/** Refusals are answers, not errors: the run may have ended before the submission arrived. */
export type Refused =
  /** The run has ended, or never existed. */
  | { readonly kind: "ended" }
  /** The run would exceed a limit of runs. */
  | { readonly kind: "too-much"; readonly what: "entries" | "bytes" | "events" };

export interface Submitted {
  readonly messageId: string;
  /** The same step was submitted before; `messageId` is that of the first submission. */
  readonly deduplicated: boolean;
  /** The message is leased to the node in the request. */
  readonly leased: boolean;
  /** The encoded leased message, so that the node that sends it need not read it. */
  readonly facts?: string | undefined;
}

export interface StartedRun extends Submitted {
  readonly kind: "started";
  readonly createdAt: Instant;
}

export interface RunAnswers {
  readonly "start-run": StartedRun | Refused;
  readonly "restart-first-step": StartedRun | Refused;
  readonly append: { readonly kind: "appended"; readonly items: readonly Submitted[] } | Refused;
  readonly "end-run": "ended" | "absent";
  readonly reply: ReplyAnswer;
  readonly wait: ({ readonly kind: "waiting" } & Submitted) | Refused;
  readonly notify: NotifyAnswer;
  readonly "time-out-wait": "timed-out" | "gone";
}

export type ReplyAnswer =
  /** Items that an ended run no longer accepts are left out. */
  | { readonly kind: "settled"; readonly items: readonly Submitted[] }
  /** The lease is no longer held; nothing was changed. */
  | { readonly kind: "stale" }
  /** Nothing was changed, and the delivery is still in progress. */
  | Extract<Refused, { readonly kind: "too-much" }>;

export interface NotifyAnswer {
  readonly notified: readonly { readonly waiter: Waiter; readonly messageId: string }[];
  /** Runs for which the event is stored. */
  readonly kept: number;
  /** Runs that have ended, have no such webhook, or store too many events already. */
  readonly refused: number;
}
