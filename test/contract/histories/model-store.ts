import { type Act, decide } from "../../../src/core/rules/registry.ts";
import {
  type Change,
  type Deduplication,
  isRunChange,
  type NewMessage,
} from "../../../src/core/change.ts";
import type { AttemptRecord } from "../../../src/core/model/message/attempt.ts";
import type { DeadLetter, DeadLetterKey } from "../../../src/core/model/message/dead-letter.ts";
import { decodeFacts } from "../../../src/core/model/message/settings.ts";
import {
  type LineKey,
  type LineSetting,
  QUEUE_DEFAULT,
} from "../../../src/core/model/line/line.ts";
import type { LogEntry, LogState } from "../../../src/core/model/message/log-entry.ts";
import type { Message, MessageKey, MessageState } from "../../../src/core/model/message/message.ts";
import type { Rows } from "../../../src/core/rule.ts";
import type { ClockTime } from "../../../src/platform/clock.ts";
import { isHeld } from "../../../src/core/rules/message/deduplication.ts";
import { DueTime, SAME_TIME } from "../../../src/store/group/due-time.ts";
import { settingOnceUsed } from "../../../src/core/rules/line/lines.ts";
import { RunRows } from "../../../src/store/group/run-rows.ts";

export interface ModelFacts {
  readonly message: Message;
  readonly body: Uint8Array;
  readonly createdAt: number;
}

/** A message that lives, and its position in its queue. */
export interface Living {
  readonly state: MessageState;
  readonly position: number;
}

/**
 * What a store must remember, written as plainly as possible: maps, and loops over all of them.
 * Single messages are decided by the rules of the core, which specify them. model-claim.ts decides
 * how many are leased, only from what is remembered here.
 */
export class ModelStore {
  readonly facts = new Map<string, ModelFacts>();
  readonly living = new Map<string, Living>();
  readonly attempts = new Map<string, AttemptRecord>();
  readonly deadLetters = new Map<string, DeadLetter>();
  readonly deduplications = new Map<string, Deduplication>();
  readonly settings = new Map<string, LineSetting>();
  readonly caps = new Map<string, number | null>();
  readonly nodes = new Map<string, number>();
  /** The queue that let a message through, for as long as anything made from it lives. */
  readonly admittedFrom = new Map<string, string>();
  /** Starts under each flow-control key since its limits were last set. */
  readonly starts = new Map<string, number[]>();
  /** One list for each write: the order within is not promised, the order of the lists is. */
  readonly log: LogEntry[][] = [];
  /** How often the log was told of each state, also of messages that were swept. */
  readonly logged = new Map<LogState, number>();
  #positions = 0;
  #due = new DueTime(SAME_TIME);

  /**
   * Answers as the store must; null when it must refuse, because a message's id is taken. Whether a
   * line was open to a new message, and which message of a queue comes next, is the store's to say,
   * and model-lines.ts judges it afterwards.
   */
  act(
    act: Act,
    time: ClockTime,
    deadLetterNumber: () => number,
    { isOpen = false, next = null }: StoreSays = {},
  ): { answer: unknown } | null {
    this.#due = new DueTime(time);
    this.#due.begin("at" in act ? act.at : 0);
    const { changes, answer } = decide(act, this.#rows(deadLetterNumber, isOpen, next));
    const added = changes.filter((change) => change.type === "message.added");
    if (added.some(({ message }) => this.facts.has(keyOf(message.state)))) return null;
    this.log.push([]);
    for (const change of changes) this.apply(change);
    return { answer };
  }

  addEntry(entry: LogEntry): void {
    this.log.at(-1)?.push(entry);
    this.logged.set(entry.state, (this.logged.get(entry.state) ?? 0) + 1);
  }

  /** The message is leased by the node that made the attempt. */
  #attempt(made: AttemptRecord): void {
    const nodeId = this.living.get(keyOf(made))?.state.nodeId ?? undefined;
    this.attempts.set(`${keyOf(made)} ${made.number}`, { ...made, nodeId });
  }

  apply(change: Change): void {
    // Runs are not played here.
    if (isRunChange(change)) return undefined;
    switch (change.type) {
      case "message.added":
        return this.#add(change.message);
      case "message.changed":
        return this.#change(change.state);
      case "message.ended":
        this.living.delete(keyOf(change.key));
        return;
      case "log.added":
        this.addEntry(change.entry);
        if (change.attempt) this.#attempt(change.attempt);
        return;
      case "dead-letter.added":
        this.deadLetters.set(letterKey(change.deadLetter), change.deadLetter);
        return;
      case "dead-letter.removed":
        this.deadLetters.delete(letterKey(change.key));
        return;
      case "deduplication.taken":
        return this.#take(change.deduplication);
      case "line.set":
        return this.#set(change.setting);
      case "line.used": {
        const { used, at } = change;
        const after = settingOnceUsed(this.settings.get(lineOf(used)) ?? null, used, at);
        return after === null ? undefined : this.#set(after);
      }
      case "line.unset":
        this.settings.delete(lineOf(change.key));
        return;
      case "line.reset":
        this.starts.delete(lineOf(change));
        return;
      case "line.started":
        return;
      case "account.added":
      case "account.changed":
        this.caps.set(change.account.accountId, change.account.limits.parallelismMax);
        return;
      // What users create has no part in what is leased.
      case "url-group.put":
      case "url-group.removed":
      case "schedule.put":
      case "schedule.removed":
      case "service.changed":
      // No report is large here.
      case "body-piece.put":
      // A line needs no waking here.
      case "line.due":
      case "line.changed":
      case "line.freed":
    }
  }

  change(state: MessageState): void {
    const position = this.living.get(keyOf(state))?.position ?? 0;
    this.living.set(keyOf(state), { state, position });
  }

  /** Loses every lease of nodes that are gone; see engine.md 2.4. */
  takeOver(nodeId: string, time: ClockTime, isGone: (nodeId: string) => boolean): Losses {
    const dueAt = time.now + time.aheadMs;
    const losses: Losses = { waiting: 0, canceled: 0, poison: [] };
    this.log.push([]);
    for (const state of this.states()) {
      if (state.nodeId === null || state.nodeId === nodeId || !isGone(state.nodeId)) continue;
      if (state.cancelRequested) {
        const { accountId, messageId } = state;
        this.addEntry({ accountId, messageId, at: time.now, state: "CANCELED" });
        this.living.delete(keyOf(state));
        losses.canceled += 1;
        continue;
      }
      const lost = { ...state, fence: state.fence + 1, losses: state.losses + 1 };
      if (lost.losses >= 13) {
        losses.poison.push({ ...lost, nodeId, leasedAt: dueAt });
        this.change({ ...lost, nodeId, leasedAt: dueAt });
      } else {
        this.change({ ...lost, phase: "waiting", nodeId: null, leasedAt: null, readyAt: dueAt });
        losses.waiting += 1;
      }
    }
    return losses;
  }

  /** Removes what is too old and answers which messages may go with it. */
  sweep(now: number, before: number): MessageKey[] {
    for (const [key, { expiresAt }] of this.deduplications) {
      if (expiresAt <= now) this.deduplications.delete(key);
    }
    for (const [key, { diedAt }] of this.deadLetters) {
      if (diedAt < before) this.deadLetters.delete(key);
    }
    const buried = new Set([...this.deadLetters.values()].map(keyOf));
    const ended = [...this.facts].filter(([key]) => !this.living.has(key) && !buried.has(key));
    const recent = new Set(
      this.log
        .flat()
        .filter(({ at }) => at >= before)
        .map(keyOf),
    );
    return ended
      .filter(([key, { createdAt }]) => createdAt < before && !recent.has(key))
      .map(([, { message }]) => message);
  }

  forget(message: MessageKey): void {
    this.facts.delete(keyOf(message));
    for (const entries of this.log) {
      const kept = entries.filter((entry) => keyOf(entry) !== keyOf(message));
      entries.splice(0, entries.length, ...kept);
    }
  }

  states(): MessageState[] {
    return [...this.living.values()].map(({ state }) => state);
  }

  #add({ state: made, facts, body, createdAt }: NewMessage): void {
    const state = this.#due.ofState(made, undefined);
    this.facts.set(keyOf(state), { message: decodeFacts(facts), body, createdAt });
    this.living.set(keyOf(state), { state, position: ++this.#positions });
    const { queue, rootId, messageId } = state;
    if (queue !== null && rootId === messageId) this.admittedFrom.set(keyOf(state), queue);
  }

  #change(state: MessageState): void {
    this.change(this.#due.ofState(state, this.living.get(keyOf(state))?.state));
  }

  #take(taken: Deduplication): void {
    const expiresAt = this.#due.of(taken.expiresAt);
    this.deduplications.set(pair(taken), { ...taken, expiresAt });
  }

  #set(setting: LineSetting): void {
    this.settings.set(lineOf(setting), setting);
    this.starts.delete(lineOf(setting));
  }

  #rows(deadLetterNumber: () => number, isOpen: boolean, next: MessageKey | null): Rows {
    return {
      message: (key) => this.living.get(keyOf(key))?.state ?? null,
      deadLetter: (key) => this.deadLetters.get(letterKey(key)) ?? null,
      deduplication: (accountId, key, at) => {
        const found = this.deduplications.get(pair({ accountId, key }));
        return found !== undefined && isHeld(found, this.#due.of(at)) ? found : null;
      },
      runs: new RunRows(() => this.states()),
      account: () => null,
      accountByCustomer: () => null,
      service: () => ({ operator: null, isPaused: false }),
      urlGroup: () => null,
      schedule: () => null,
      lineSetting: (key) => this.settings.get(lineOf(key)) ?? null,
      line: (key) =>
        isOpen ? { ...EMPTY_LINE, setting: this.settings.get(lineOf(key)) ?? null } : null,
      head: (key) => {
        const head = next && this.living.get(keyOf(next));
        if (!head || head.state.line !== key.line) return null;
        const limits = this.settings.get(lineOf(key))?.limits ?? QUEUE_DEFAULT;
        return { state: head.state, isDirect: true, limits, held: 0 };
      },
      count: () => 0,
      nextDeadLetterNumber: deadLetterNumber,
    };
  }
}

/** What only the store can say of an act. */
interface StoreSays {
  readonly isOpen?: boolean;
  /** The message that a settlement has leased. */
  readonly next?: MessageKey | null;
}

const EMPTY_LINE = { running: null, held: 0, nextReadyAt: null };

export interface Losses {
  waiting: number;
  canceled: number;
  readonly poison: MessageState[];
}

export const keyOf = ({ accountId, messageId }: MessageKey): string => `${accountId} ${messageId}`;
export const lineOf = ({ accountId, line }: LineKey): string => `${accountId} ${line}`;
export const letterKey = ({ accountId, diedAt, number }: DeadLetterKey): string =>
  `${accountId} ${diedAt}-${number}`;
const pair = ({ accountId, key }: { accountId: string; key: string }): string =>
  `${accountId} ${key}`;
