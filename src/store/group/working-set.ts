import {
  type Change,
  type Deduplication,
  isRunChange,
  type NewMessage,
  type RunChange,
} from "../../core/change.ts";
import type { AccountRecord, ServiceRecord } from "../../core/model/account/account.ts";
import type { BodyPiece } from "../../core/model/message/body-piece.ts";
import type { DeadLetter, DeadLetterKey } from "../../core/model/message/dead-letter.ts";
import type { LineKey, LineSetting, LineSnapshot, QueueHead } from "../../core/model/line/line.ts";
import type { MessageKey, MessageState } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import type { Schedule, ScheduleKey } from "../../core/model/schedule/schedule.ts";
import type { UrlGroup, UrlGroupKey } from "../../core/model/url-group/url-group.ts";
import type { CountedNoun, CountKey, Rows } from "../../core/rule.ts";
import { isHeld } from "../../core/rules/message/deduplication.ts";
import { settingAfterUses } from "../../core/rules/line/lines.ts";
import type { ClockTime } from "../../platform/clock.ts";
import { DueTime, SAME_TIME } from "./due-time.ts";
import { ResourceRows } from "./resource-rows.ts";
import { LineRows } from "./line-rows.ts";
import { addToLog, type LogStep, type MadeAttempt } from "../records/log-step.ts";
import { countedLine, RowCounts } from "./row-counts.ts";
import {
  bodyPieceKey,
  deadLetterKey,
  lineKey,
  messageKey,
  pairKey,
  scheduleKey,
  urlGroupKey,
} from "./row-keys.ts";
import { RunRows } from "./run-rows.ts";

/**
 * The rows of one transaction: what was loaded, and what the rules have changed so far. Each row is
 * written once, however many acts of a group changed it.
 */
export class WorkingSet implements Rows {
  readonly #messages = new Map<string, MessageState>();
  readonly #deduplications = new Map<string, Deduplication>();
  readonly #accounts = new Map<string, AccountRecord>();
  readonly #accountsByCustomer = new Map<string, AccountRecord>();
  #service: ServiceRecord | null = null;
  readonly #deadLetterNumbers: number[] = [];

  readonly added: NewMessage[] = [];
  readonly steps: LogStep[] = [];
  /** States of messages that were added here, by key. */
  readonly inserted = new Map<string, MessageState>();
  readonly updated = new Map<string, MessageState>();
  readonly ended = new Map<string, MessageKey>();
  readonly bodyPieces = new Map<string, BodyPiece>();
  readonly deadLetters = new ResourceRows<DeadLetterKey, DeadLetter>(deadLetterKey);
  readonly deduplicationsTaken = new Map<string, Deduplication>();
  readonly accountsAdded = new Map<string, AccountRecord>();
  readonly accountsChanged = new Map<string, AccountRecord>();
  readonly urlGroups = new ResourceRows<UrlGroupKey, UrlGroup>(urlGroupKey);
  readonly schedules = new ResourceRows<ScheduleKey, Schedule>(scheduleKey);
  /** Bodies of schedules that are new or have changed. */
  readonly scheduleBodies = new Map<string, Uint8Array>();
  readonly lineSettings = new ResourceRows<LineKey, LineSetting>(lineKey);
  readonly lines = new LineRows(this.lineSettings);
  readonly counts = new RowCounts();
  serviceChanged: ServiceRecord | null = null;
  /** Whether a rule has changed accounts, resources or runs; a plain publish does not. */
  touchesTables = false;
  readonly due: DueTime;
  readonly runs: RunRows;

  constructor(time: ClockTime = SAME_TIME) {
    this.due = new DueTime(time);
    this.runs = new RunRows(() => this.#messages.values(), this.due);
  }

  loadMessage(state: MessageState): void {
    this.#messages.set(messageKey(state), state);
  }
  loadDeduplication(deduplication: Deduplication): void {
    this.#deduplications.set(pairKey(deduplication.accountId, deduplication.key), deduplication);
  }
  loadAccount(account: AccountRecord): void {
    this.#accounts.set(account.accountId, account);
    this.#accountsByCustomer.set(account.customerId, account);
  }
  loadService(service: ServiceRecord): void {
    this.#service = service;
  }
  loadDeadLetterNumber(number: number): void {
    this.#deadLetterNumbers.push(number);
  }

  message(key: MessageKey): MessageState | null {
    return this.#messages.get(messageKey(key)) ?? null;
  }
  deadLetter(key: DeadLetterKey): DeadLetter | null {
    return this.deadLetters.get(key);
  }
  deduplication(accountId: string, key: string, at: Instant): Deduplication | null {
    const holder = this.#deduplications.get(pairKey(accountId, key));
    return holder !== undefined && isHeld(holder, this.due.of(at)) ? holder : null;
  }
  account(accountId: string): AccountRecord | null {
    return this.#accounts.get(accountId) ?? null;
  }
  urlGroup(key: UrlGroupKey): UrlGroup | null {
    return this.urlGroups.get(key);
  }
  schedule(key: ScheduleKey): Schedule | null {
    return this.schedules.get(key);
  }
  lineSetting(key: LineKey): LineSetting | null {
    const used = this.lines.used.get(lineKey(key));
    return this.lineSettings.get(key) ?? (used ? settingAfterUses(null, used) : null);
  }
  line(key: LineKey): LineSnapshot | null {
    const snapshot = this.lines.snapshot(key);
    return snapshot && this.due.shown(snapshot);
  }
  head(key: LineKey): QueueHead | null {
    for (const head of this.lines.heads(key)) {
      const state = this.message(head.state);
      if (state?.phase !== "waiting" || state.line !== key.line) continue;
      const next = { accountId: state.accountId, line: state.lineAfter! };
      return { ...head, state, isDirect: head.isDirect && !this.lines.due.has(lineKey(next)) };
    }
    return null;
  }
  count(key: CountKey): number {
    return this.counts.get(key);
  }
  accountByCustomer(customerId: string): AccountRecord | null {
    return this.#accountsByCustomer.get(customerId) ?? null;
  }
  service(): ServiceRecord {
    if (this.#service === null) throw new Error("a rule reads the service without needing it");
    return this.#service;
  }
  nextDeadLetterNumber(): number {
    const number = this.#deadLetterNumbers.shift();
    if (number === undefined) throw new Error("a rule used more dead-letter numbers than it needs");
    return number;
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (isRunChange(change)) this.#applyToRun(change);
      else this.#applyOne(change);
    }
  }

  #applyToRun(change: RunChange): void {
    this.touchesTables = true;
    this.runs.apply(change);
  }

  #applyOne(change: Exclude<Change, RunChange>): void {
    switch (change.type) {
      case "message.added":
        return this.#add(change.message);
      case "message.changed":
        return this.#change(change.state);
      case "message.ended":
        return this.#end(change.key);
      case "log.added":
        return addToLog(this.steps, change.entry, this.#made(change));
      case "dead-letter.added":
        return this.deadLetters.set(change.deadLetter);
      case "dead-letter.removed":
        return this.deadLetters.remove(change.key);
      case "deduplication.taken":
        return this.#takeKey(change.deduplication);
      case "line.due":
      case "line.changed":
      case "line.reset":
        return this.lines.apply({ ...change, at: this.due.of(change.at) });
      case "line.freed":
      case "line.used":
        return this.lines.apply(change);
      case "line.started":
        return this.#start(change);
      case "account.added":
        return this.#putAccount(change.account, this.accountsAdded);
      case "account.changed":
        return this.#putAccount(change.account, this.accountsChanged);
      case "url-group.put":
      case "url-group.removed":
      case "schedule.put":
      case "schedule.removed":
      case "line.set":
      case "line.unset":
      case "body-piece.put":
        return this.#applyInTable(change);
      case "service.changed":
        this.#service = change.service;
        this.serviceChanged = change.service;
    }
  }

  /** The message is still leased when its attempt is logged. */
  #made({ entry, attempt }: Extract<Change, { type: "log.added" }>): MadeAttempt | null {
    if (attempt === undefined) return null;
    const { host = null, nodeId = null } = this.message(entry) ?? {};
    return { attempt, host, nodeId };
  }

  #putAccount(account: AccountRecord, changed: Map<string, AccountRecord>): void {
    this.touchesTables = true;
    this.loadAccount(account);
    changed.set(account.accountId, account);
  }

  #applyInTable(change: TableChange): void {
    this.touchesTables = true;
    switch (change.type) {
      case "url-group.put":
        return this.#put(this.urlGroups, change.urlGroup, "urlGroups");
      case "url-group.removed":
        return this.#remove(this.urlGroups, change.key, "urlGroups");
      case "schedule.put":
        if (change.body) this.scheduleBodies.set(scheduleKey(change.schedule), change.body);
        return this.#put(this.schedules, change.schedule, "schedules");
      case "schedule.removed":
        return this.#remove(this.schedules, change.key, "schedules");
      case "line.set":
        this.lines.used.delete(lineKey(change.setting));
        return this.#put(this.lineSettings, change.setting, countedLine(change.setting));
      case "line.unset":
        this.lines.used.delete(lineKey(change.key));
        return this.#remove(this.lineSettings, change.key, countedLine(change.key));
      case "body-piece.put":
        this.bodyPieces.set(bodyPieceKey(change.piece), change.piece);
    }
  }

  #put<Key extends { accountId: string }, Row extends Key>(
    rows: ResourceRows<Key, Row>,
    row: Row,
    noun: CountedNoun | null,
  ): void {
    if (noun !== null && rows.get(row) === null) this.counts.change(row.accountId, noun, 1);
    rows.set(row);
  }

  #remove<Key extends { accountId: string }, Row extends Key>(
    rows: ResourceRows<Key, Row>,
    key: Key,
    noun: CountedNoun | null,
  ): void {
    if (noun !== null && rows.get(key) !== null) this.counts.change(key.accountId, noun, -1);
    rows.remove(key);
  }

  #takeKey(taken: Deduplication): void {
    const deduplication = { ...taken, expiresAt: this.due.of(taken.expiresAt) };
    this.loadDeduplication(deduplication);
    this.deduplicationsTaken.set(pairKey(taken.accountId, taken.key), deduplication);
  }

  #start(change: Extract<Change, { type: "line.started" }>): void {
    const { window } = change;
    const startedAt = this.due.of(window?.startedAt ?? 0);
    this.lines.apply({ ...change, window: window && { ...window, startedAt } });
  }

  #add(message: NewMessage): void {
    const key = messageKey(message.state);
    const state = this.due.ofState(message.state, undefined);
    this.added.push(message);
    this.#messages.set(key, state);
    this.inserted.set(key, state);
  }

  #change(changed: MessageState): void {
    const key = messageKey(changed);
    if (changed.lineAfter !== null) this.lines.forgetHeads(changed);
    const state = this.due.ofState(changed, this.#messages.get(key));
    this.#messages.set(key, state);
    (this.inserted.has(key) ? this.inserted : this.updated).set(key, state);
  }

  #end(key: MessageKey): void {
    const text = messageKey(key);
    this.#messages.delete(text);
    this.updated.delete(text);
    if (!this.inserted.delete(text)) this.ended.set(text, key);
  }
}

type TableChange = Extract<
  Change,
  { readonly type: `${"url-group" | "schedule" | "body-piece"}.${string}` | `line.${"" | "un"}set` }
>;
