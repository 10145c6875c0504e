import type { Change, Deduplication, NewMessage } from "./change.ts";
import type { AccountRecord, ServiceRecord } from "./model/account/account.ts";
import type { DeadLetter, DeadLetterKey } from "./model/message/dead-letter.ts";
import type { LineKey, LineSetting, LineSnapshot, QueueHead } from "./model/line/line.ts";
import type { MessageKey, MessageState } from "./model/message/message.ts";
import type { Instant } from "./model/time.ts";
import type { Schedule, ScheduleKey } from "./model/schedule/schedule.ts";
import type { UrlGroup, UrlGroupKey } from "./model/url-group/url-group.ts";
import type { RunKey, RunName, RunState, RunRef } from "./model/workflow/run.ts";
import type { StoredEvent, Waiter } from "./model/workflow/waiter.ts";

/** The rows that a rule needs loaded and locked before it runs. */
export interface Needs {
  readonly runs?: readonly RunNeed[];
  readonly messages?: readonly MessageKey[];
  readonly deadLetters?: readonly DeadLetterKey[];
  readonly deduplications?: readonly { readonly accountId: string; readonly key: string }[];
  readonly accounts?: readonly string[];
  readonly urlGroups?: readonly UrlGroupKey[];
  readonly schedules?: readonly ScheduleKey[];
  readonly lineSettings?: readonly LineKey[];
  /** Lines through which a new message may be leased at once. */
  readonly lines?: readonly LineKey[];
  /** Queues of which the first message may be leased; named as often as one is wanted. */
  readonly heads?: readonly LineKey[];
  /** Exact only under the lock of the account, which must be requested as well. */
  readonly counts?: readonly CountKey[];
  /** Accounts by customer. */
  readonly customers?: readonly string[];
  readonly service?: boolean;
  /** How many numbers of the dead-letter sequence it may use. */
  readonly deadLetterNumbers?: number;
}

export interface RunNeed {
  readonly ref: RunRef;
  readonly stepKeys?: readonly string[] | undefined;
  readonly payload?: boolean | undefined;
  /** Its messages that have not ended. */
  readonly messages?: boolean | undefined;
  /** Its waiters for an event, whether their steps have results, and the oldest stored event. */
  readonly eventId?: string | undefined;
  /** Whether the stored event must come from a webhook. */
  readonly isHook?: boolean | undefined;
}

export type CountedNoun = "urlGroups" | "schedules" | "queues";

export interface CountKey {
  readonly accountId: string;
  readonly noun: CountedNoun;
}

/** The rows inside the transaction, with the changes of earlier acts of its group. */
export interface Rows {
  readonly runs: RunRows;
  message(key: MessageKey): MessageState | null;
  deadLetter(key: DeadLetterKey): DeadLetter | null;
  /** Null when no message holds the key at that instant. */
  deduplication(accountId: string, key: string, at: Instant): Deduplication | null;
  account(accountId: string): AccountRecord | null;
  urlGroup(key: UrlGroupKey): UrlGroup | null;
  schedule(key: ScheduleKey): Schedule | null;
  lineSetting(key: LineKey): LineSetting | null;
  /** Null where only a claim may lease from the line. */
  line(key: LineKey): LineSnapshot | null;
  /** The first message of a queue that is ready; null where only a claim may lease it. */
  head(queue: LineKey): QueueHead | null;
  /** The requested count of an account's resources. */
  count(key: CountKey): number;
  accountByCustomer(customerId: string): AccountRecord | null;
  service(): ServiceRecord;
  nextDeadLetterNumber(): number;
}

export interface RunRows {
  find(ref: RunRef): RunState | null;
  latest(name: RunName): RunState | null;
  /** The message id of the first submission with this key; null when there is none. */
  firstOf(key: RunKey, stepKey: string): string | null;
  payload(key: RunKey): Uint8Array;
  messages(key: RunKey): readonly MessageState[];
  /** In the order of their steps. */
  waiters(key: RunKey, eventId: string): readonly Waiter[];
  nextEvent(key: RunKey, eventId: string, isHook: boolean): StoredEvent | null;
}

export interface Decision<Answer> {
  readonly changes: readonly Change[];
  readonly answer: Answer;
}

interface DecidingRule<A, Answer> {
  needs(act: A): Needs;
  decide(act: A, rows: Rows): Decision<Answer>;
}

interface CarryingRule<A> {
  /** The act with its bodies and facts mapped, each once and always in the same order. */
  mapParts(act: A, map: PartMapper): A;
}

/**
 * A pure function that decides about an act, and the rows it needs. A rule whose act carries bytes
 * must also name them, or it does not compile.
 */
export type Rule<A extends { readonly rule: string }, Answer> = DecidingRule<A, Answer> &
  (true extends HoldsBytes<A> ? CarryingRule<A> : { readonly mapParts?: undefined });

/** True for a type in which a body can be found, at any depth. */
export type HoldsBytes<T> = T extends Uint8Array
  ? true
  : T extends readonly (infer Item)[]
    ? HoldsBytes<Item>
    : T extends object
      ? true extends { [Name in keyof T]-?: HoldsBytes<T[Name]> }[keyof T]
        ? true
        : false
      : false;

/**
 * What an act carries that is large: bodies, and the facts of new messages. A store may put something
 * else in their place while the act travels to another thread.
 */
export interface PartMapper {
  body(body: Uint8Array): Uint8Array;
  facts(facts: string): string;
}

export function mapMessage(message: NewMessage, map: PartMapper): NewMessage {
  return { ...message, facts: map.facts(message.facts), body: map.body(message.body) };
}

export function mapBody<T extends { readonly body: Uint8Array }>(part: T, map: PartMapper): T {
  return { ...part, body: map.body(part.body) };
}
