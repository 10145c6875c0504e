import type { Act, Answers } from "./act.ts";
import type { HoldsBytes, PartMapper } from "./act-parts.ts";
import type { Change, Deduplication } from "./change.ts";
import type { AccountRecord } from "./model/account/account.ts";
import type { DeadLetter, DeadLetterKey } from "./model/message/dead-letter.ts";
import type { LineKey, LineSetting } from "./model/line/line-setting.ts";
import type { LineSnapshot } from "./model/line/line-snapshot.ts";
import type { MessageKey } from "./model/message/message.ts";
import type { Instant } from "./model/time.ts";
import type { MessageState } from "./model/message/message-state.ts";
import type { Schedule, ScheduleKey } from "./model/schedule/schedule.ts";
import type { UrlGroup, UrlGroupKey } from "./model/url-group/url-group.ts";
import type { ServiceRecord } from "./model/account/service-record.ts";
import type { RunNeed, RunRows } from "./run-rows.ts";

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
  /** Exact only under the lock of the account, which must be requested as well. */
  readonly counts?: readonly CountKey[];
  /** Accounts by customer. */
  readonly customers?: readonly string[];
  readonly service?: boolean;
  /** How many numbers of the dead-letter sequence it may use. */
  readonly deadLetterNumbers?: number;
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
  /** The requested count of an account's resources. */
  count(key: CountKey): number;
  accountByCustomer(customerId: string): AccountRecord | null;
  service(): ServiceRecord;
  nextDeadLetterNumber(): number;
}

export interface Decision<Answer> {
  readonly changes: readonly Change[];
  readonly answer: Answer;
}

interface DecidingRule<A extends Act> {
  needs(act: A): Needs;
  decide(act: A, rows: Rows): Decision<Answers[A["rule"]]>;
}

interface CarryingRule<A extends Act> {
  /** The act with its bodies and facts mapped, each once and always in the same order. */
  mapParts(act: A, map: PartMapper): A;
}

/**
 * A pure function that decides, and the rows it needs. A rule whose act carries bytes must also
 * name them, or it does not compile.
 */
export type Rule<A extends Act> = DecidingRule<A> &
  (true extends HoldsBytes<A> ? CarryingRule<A> : { readonly mapParts?: undefined });
