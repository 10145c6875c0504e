import type { AttemptRecord } from "../model/message/attempt.ts";
import type { Instant, Message } from "../model/message/message.ts";
import type { Lease } from "../model/message/message-state.ts";
import type { Run, RunName } from "../model/workflow/run.ts";
import type { EntryKind } from "../model/workflow/run-entry.ts";
import type { Step } from "../model/workflow/step.ts";
import type { Waiter, WaiterKey } from "../model/workflow/waiter.ts";

/** Everything that is done to a run on request or on time; each act locks its run first. */
export type RunAct =
  | StartRunAct
  | RestartFirstStepAct
  | AppendAct
  | ReplyAct
  | EndRunAct
  | WaitAct
  | NotifyAct
  | TimeOutWaitAct;

/** A run by its name: the one that was made at that instant, else the latest. */
export interface RunRef extends RunName {
  readonly createdAt?: Instant | undefined;
}

export interface StartRunAct {
  readonly rule: "start-run";
  readonly at: Instant;
  /** Its createdAt gives way when an earlier run of the same name has the same. */
  readonly run: Run;
  readonly payload: Uint8Array;
  /** What brings the payload to the endpoint. */
  readonly requested: Message;
  /** In whose name the delivery is leased if nothing holds it back; null to wait in line. */
  readonly nodeId: string | null;
  /** The step of another run that this one is started for. */
  readonly invoker: InvokerRef | null;
}

export interface InvokerRef {
  readonly ref: RunRef;
  readonly step: Step;
  readonly requested: Message;
  /** Of the entry that opens the step. */
  readonly messageId: string;
}

/** An endpoint has introduced itself: what it forwards replaces what was forwarded, and it is asked again. */
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
  /** What a call sends; nothing for others, which send the entries of the run. */
  readonly callBody: Uint8Array;
  readonly requested: Message;
  readonly nodeId: string | null;
}

/** The workflow has come to its end, or somebody ends it before. */
export interface EndRunAct extends RunEnding {
  readonly rule: "end-run";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly phase: "success" | "cancelled";
}

export interface RunEnding {
  /** What the workflow returned. */
  readonly response: Uint8Array;
  /** The run that waits for this one, as it was found beforehand, and its step. */
  readonly invoker: (RunRef & { readonly stepId: number }) | null;
  /** Of what tells it. */
  readonly invokerMessageId: string;
}

/** An endpoint has answered the delivery of a step with what it would else submit. */
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
  /** Of what brings the event, should it be there already. */
  readonly resultId: string;
  readonly nodeId: string | null;
}

export interface NotifyAct {
  readonly rule: "notify";
  readonly at: Instant;
  readonly eventId: string;
  readonly body: Uint8Array;
  readonly refs: readonly RunRef[];
  /** Of what brings the event; as many waiters are told at most. */
  readonly messageIds: readonly string[];
  /** Only who began to wait before, by the id of their entry; null for all. */
  readonly before: string | null;
  /** Kept for the next wait of a run that does not wait now. */
  readonly isKept: boolean;
  /** A call to a webhook: taken by runs that have created it, for waits for webhooks alone. */
  readonly isHook: boolean;
}

/** The deadline of a wait has passed. */
export interface TimeOutWaitAct {
  readonly rule: "time-out-wait";
  readonly at: Instant;
  readonly key: WaiterKey;
  /** The same in due time, where that is ahead of the clock. */
  readonly dueAt?: Instant | undefined;
  readonly messageId: string;
}

/** Refusals are answers: the run that something was submitted to may have ended. */
export type Refused =
  /** It has ended, or never was. */
  | { readonly kind: "ended" }
  /** It would hold more than a run may. */
  | { readonly kind: "too-much"; readonly what: "entries" | "bytes" | "events" };

export interface Submitted {
  readonly messageId: string;
  /** The same was submitted before; this is the id of the first. */
  readonly deduplicated: boolean;
  /** It is leased to the node that was named. */
  readonly leased: boolean;
  /** The message that is leased, as it is kept: whoever sends it need not read it. */
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
  /** What a run that has ended takes no more is left out. */
  | { readonly kind: "settled"; readonly items: readonly Submitted[] }
  /** The lease is no longer held; nothing was changed. */
  | { readonly kind: "stale" }
  /** Nothing was changed, and the delivery is still under way. */
  | Extract<Refused, { readonly kind: "too-much" }>;

export interface NotifyAnswer {
  readonly notified: readonly { readonly waiter: Waiter; readonly messageId: string }[];
  /** Runs for whom the event is kept. */
  readonly kept: number;
  /** Runs that have ended, have no such webhook, or keep too many events already. */
  readonly refused: number;
}
