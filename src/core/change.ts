import type { AccountRecord, ServiceRecord } from "./model/account/account.ts";
import type { AttemptRecord } from "./model/message/attempt.ts";
import type { BodyPiece } from "./model/message/body-piece.ts";
import type { DeadLetter, DeadLetterKey } from "./model/message/dead-letter.ts";
import type { LineKey, LineSetting, UsedLine, RateWindow } from "./model/line/line.ts";
import type { LogEntry } from "./model/message/log-entry.ts";
import type { MessageKey, MessageState } from "./model/message/message.ts";
import type { Instant } from "./model/time.ts";
import type { RunEntry, RunState } from "./model/workflow/run.ts";
import type { Schedule, ScheduleKey } from "./model/schedule/schedule.ts";
import type { UrlGroup, UrlGroupKey } from "./model/url-group/url-group.ts";
import type { StoredEvent, Waiter, WaiterKey } from "./model/workflow/waiter.ts";

/** One durable write. Every write of the service is listed here. */
export type Change =
  | { readonly type: "message.added"; readonly message: NewMessage }
  | { readonly type: "message.changed"; readonly state: MessageState }
  | { readonly type: "message.ended"; readonly key: MessageKey }
  | { readonly type: "body-piece.put"; readonly piece: BodyPiece }
  | {
      readonly type: "log.added";
      readonly entry: LogEntry;
      /** The stored attempt that the entry reports. */
      readonly attempt?: AttemptRecord | undefined;
    }
  | { readonly type: "dead-letter.added"; readonly deadLetter: DeadLetter }
  | { readonly type: "dead-letter.removed"; readonly key: DeadLetterKey }
  | { readonly type: "deduplication.taken"; readonly deduplication: Deduplication }
  | LineChange
  /** Written only when it changes the setting of the line. */
  | { readonly type: "line.used"; readonly used: UsedLine; readonly at: Instant }
  | { readonly type: "line.set"; readonly setting: LineSetting }
  | { readonly type: "line.unset"; readonly key: LineKey }
  | { readonly type: "url-group.put"; readonly urlGroup: UrlGroup }
  | { readonly type: "url-group.removed"; readonly key: UrlGroupKey }
  | {
      readonly type: "schedule.put";
      readonly schedule: Schedule;
      /** Null when it does not change. */
      readonly body: Uint8Array | null;
    }
  | { readonly type: "schedule.removed"; readonly key: ScheduleKey }
  | RunChange
  | { readonly type: "account.added"; readonly account: AccountRecord }
  | { readonly type: "account.changed"; readonly account: AccountRecord }
  | { readonly type: "service.changed"; readonly service: ServiceRecord };

/** Changes of how a line stands, beside its setting. */
export type LineChange = LineKey &
  (
    | { readonly type: "line.due"; readonly at: Instant }
    /** The limits of the line have changed: the next claim visits it now. */
    | { readonly type: "line.changed"; readonly at: Instant }
    /** A slot is free again: a full line is visited now, other lines need not be. */
    | { readonly type: "line.freed" }
    /** A new rate window starts. */
    | { readonly type: "line.reset"; readonly at: Instant }
    /** One more message is in progress; the rate window that counts it, null without a rate. */
    | { readonly type: "line.started"; readonly window: RateWindow | null }
  );

/** Changes of runs; the settings of a run are written once. */
export type RunChange =
  | { readonly type: "run.added"; readonly run: RunState }
  | { readonly type: "run.changed"; readonly run: RunState }
  /** The headers forwarded to the endpoint have changed with it. */
  | { readonly type: "run.restated"; readonly run: RunState }
  /** Removes the run's waiters and stored events too. */
  | { readonly type: "run.ended"; readonly run: RunState; readonly response: Uint8Array | null }
  | { readonly type: "run-entry.added"; readonly entry: RunEntry }
  | { readonly type: "waiter.added"; readonly waiter: Waiter }
  | { readonly type: "waiter.removed"; readonly key: WaiterKey }
  | { readonly type: "event.stored"; readonly event: StoredEvent }
  | { readonly type: "event.taken"; readonly event: StoredEvent };

const RUN_NOUN = /^(?:run|run-entry|waiter|event)\./;

export function isRunChange(change: Change): change is RunChange {
  return RUN_NOUN.test(change.type);
}

/** All rows that are written when a message is created. */
export interface NewMessage {
  readonly state: MessageState;
  /** The encoded Message. */
  readonly facts: string;
  readonly body: Uint8Array;
  readonly createdAt: Instant;
  /** The message that a callback reports about. */
  readonly sourceId?: string | undefined;
  /** Its queue and its flow-control key. */
  readonly uses?: readonly UsedLine[] | undefined;
}

/** The message that holds a deduplication key, and until when. */
export interface Deduplication {
  readonly accountId: string;
  readonly key: string;
  readonly messageId: string;
  readonly expiresAt: Instant;
}
