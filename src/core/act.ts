import type { DeadRunAct, DeadRunAnswers } from "./acts/dead-run.ts";
import type { LineAct, LineAnswers } from "./acts/line.ts";
import type { RunAct, RunAnswers } from "./acts/run.ts";
import type { ScheduleAct, ScheduleAnswers } from "./acts/schedule.ts";
import type { UrlGroupAct, UrlGroupAnswers } from "./acts/url-group.ts";
import type { NewMessage } from "./change.ts";
import type { AccountRecord, LimitOverrides, SigningKeys } from "./model/account/account.ts";
import type { AttemptRecord, BodyCut } from "./model/message/attempt.ts";
import type { DeadLetterKey } from "./model/message/dead-letter.ts";
import type { Instant, Message, MessageKey } from "./model/message/message.ts";
import type { Lease } from "./model/message/message-state.ts";
import type { Operator } from "./model/account/service-record.ts";
import type { Verdict } from "./rules/message/judge.ts";

/**
 * A named rule and its arguments: the unit of writing. The store loads the rows the rule needs,
 * runs it inside the transaction, writes the changes it returns, and returns its answer. An act
 * is made true as a whole or not at all.
 */
export type Act =
  | PublishAct
  | SettleAct
  | HandBackAct
  | CancelAct
  | RemoveDeadLettersAct
  | RetryDeadLetterAct
  | LineAct
  | UrlGroupAct
  | ScheduleAct
  | AddAccountAct
  | ChangeAccountAct
  | RotateCredentialsAct
  | RotateSigningKeysAct
  | WakeLinesAct
  | SetOperatorAct
  | PauseServiceAct
  | RunAct
  | DeadRunAct;

export interface PublishAct {
  readonly rule: "publish";
  readonly at: Instant;
  readonly items: readonly PublishItem[];
}

export interface PublishItem {
  readonly message: NewMessage;
  readonly deduplication: { readonly key: string; readonly expiresAt: Instant } | null;
  /** Who has a slot for it, should its queue and its key let it through at once. */
  readonly nodeId?: string | undefined;
}

export interface SettleAct {
  readonly rule: "settle";
  readonly at: Instant;
  readonly lease: Lease;
  readonly attempt: AttemptRecord;
  readonly verdict: Verdict;
  /** What follow-ups are made from; null when nothing can follow. */
  readonly source: FollowUpSource | null;
}

export interface FollowUpSource {
  readonly message: Message;
  readonly body: Uint8Array;
  /** The response body, up to the account's size of messages; the attempt may keep less of it. */
  readonly responseBody: Uint8Array;
  readonly responseCut?: BodyCut | undefined;
  /** Drawn beforehand, since rules draw nothing. */
  readonly callbackId: string;
  readonly failureCallbackId: string;
  /** For the run that waits for the one that ends with this. */
  readonly invokerMessageId: string;
}

/** Gives a lease back unused: nothing was sent, or nobody will settle it. */
export interface HandBackAct {
  readonly rule: "hand-back";
  readonly at: Instant;
  readonly lease: Lease;
}

export interface CancelAct {
  readonly rule: "cancel";
  readonly at: Instant;
  readonly keys: readonly MessageKey[];
}

export interface RemoveDeadLettersAct {
  readonly rule: "remove-dead-letters";
  readonly keys: readonly DeadLetterKey[];
}

export interface RetryDeadLetterAct {
  readonly rule: "retry-dead-letter";
  readonly at: Instant;
  readonly key: DeadLetterKey;
  readonly message: NewMessage;
}

export interface AddAccountAct {
  readonly rule: "add-account";
  readonly account: AccountRecord;
  /** Of a new service, whose operator comes with its first account, unless it has one. */
  readonly operator?: Operator | undefined;
}

export interface ChangeAccountAct {
  readonly rule: "change-account";
  readonly at: Instant;
  readonly accountId: string;
  readonly fields: Partial<
    Pick<AccountRecord, "plan" | "budgetDollars" | "isSuspended" | "isPaused">
  >;
  /** Limits that get a value of their own, and those that follow the plan again. */
  readonly overrides?: {
    readonly set: LimitOverrides;
    readonly unset: readonly (keyof LimitOverrides)[];
  };
}

export interface RotateCredentialsAct {
  readonly rule: "rotate-credentials";
  readonly at: Instant;
  readonly accountId: string;
  readonly credentials: {
    readonly tokenHash: string;
    readonly readOnlyTokenHash: string;
    readonly passwordHash: string;
  };
  /** How much longer the old tokens are taken. */
  readonly graceMs: number;
}

export interface RotateSigningKeysAct {
  readonly rule: "rotate-signing-keys";
  readonly accountId: string;
  /** Encrypted; becomes the next key. */
  readonly next: string;
}

export interface WakeLinesAct {
  readonly rule: "wake-lines";
  readonly at: Instant;
  readonly accountId: string;
  readonly lines: readonly string[];
}

export interface SetOperatorAct {
  readonly rule: "set-operator";
  readonly operator: Operator;
}

export interface PauseServiceAct {
  readonly rule: "pause-service";
  readonly isPaused: boolean;
}

/** What each rule answers. */
export interface Answers
  extends DeadRunAnswers, LineAnswers, RunAnswers, ScheduleAnswers, UrlGroupAnswers {
  readonly publish: readonly PublishAnswer[];
  readonly settle: SettleAnswer;
  readonly "hand-back": "waiting" | "cancelled" | "stale";
  readonly cancel: CancelAnswer;
  readonly "remove-dead-letters": readonly DeadLetterKey[];
  readonly "retry-dead-letter": PublishAnswer | null;
  readonly "add-account": "added" | "exists" | "customer-exists";
  readonly "change-account": AccountRecord | null;
  readonly "rotate-credentials": AccountRecord | null;
  readonly "rotate-signing-keys": SigningKeys | null;
  readonly "wake-lines": null;
  readonly "set-operator": "set" | "exists";
  readonly "pause-service": null;
}

export type AnswerOf<A extends Act> = Answers[A["rule"]];

export interface PublishAnswer {
  readonly messageId: string;
  /** An earlier message took the same deduplication key; nothing was stored. */
  readonly deduplicated: boolean;
  /** There was a slot for it, but its queue or its key did not let it through. */
  readonly waits?: true;
}

/**
 * "stale": the lease is no longer held. "idle": the run of a first delivery has gained nothing and
 * has to fail. "gained": a run that was to fail for gaining nothing has gained something. Of these
 * three nothing was changed.
 */
export type SettleAnswer = "settled" | "cancelled" | "stale" | "idle" | "gained";

export interface CancelAnswer {
  readonly cancelled: number;
  /** Of those, the ones whose attempt under way may still end. */
  readonly inFlight: number;
}
