import type { RunChange } from "../../core/change.ts";
import type { Instant } from "../../core/model/time.ts";
import type { MessageState } from "../../core/model/message/message.ts";
import {
  type RunEntry,
  type RunKey,
  type RunName,
  type RunState,
  type RunRef,
  resultKey,
} from "../../core/model/workflow/run.ts";
import type { StoredEvent, Waiter, WaiterKey } from "../../core/model/workflow/waiter.ts";
import type { RunRows as Rows } from "../../core/rule.ts";
import { DueTime, SAME_TIME } from "./due-time.ts";

/** The runs of one transaction: as they were loaded, and as the rules have changed them. */
export class RunRows implements Rows {
  readonly #messages: () => Iterable<MessageState>;
  readonly #due: DueTime;
  readonly #runs = new Map<string, RunState>();
  readonly #latest = new Map<string, RunState>();
  readonly #steps = new Map<string, string>();
  readonly #payloads = new Map<string, Uint8Array>();
  readonly #waiters = new Map<string, Waiter>();
  readonly #events = new Map<string, StoredEvent>();

  readonly added = new Map<string, RunState>();
  readonly changed = new Map<string, RunState>();
  /** Runs whose facts have changed since they were started. */
  readonly restated = new Map<string, RunState>();
  readonly ended = new Map<string, EndedRun>();
  readonly entries: RunEntry[] = [];
  readonly waitersAdded = new Map<string, AddedWaiter>();
  readonly waitersRemoved = new Map<string, WaiterKey>();
  readonly eventsStored = new Map<string, StoredEvent>();
  readonly eventsTaken = new Map<string, StoredEvent>();

  constructor(messages: () => Iterable<MessageState>, due: DueTime = new DueTime(SAME_TIME)) {
    this.#messages = messages;
    this.#due = due;
  }

  load(state: RunState): void {
    this.#runs.set(runKey(state), state);
    const name = nameKey(state);
    const known = this.#latest.get(name);
    if (known === undefined || known.createdAt <= state.createdAt) this.#latest.set(name, state);
  }
  loadStep(key: RunKey, stepKey: string, messageId: string): void {
    this.#steps.set(partKey(key, stepKey), messageId);
  }
  loadPayload(key: RunKey, payload: Uint8Array): void {
    this.#payloads.set(runKey(key), payload);
  }
  /** `resultId` is the message that brought a result to its step, if there is one. */
  loadWaiter(waiter: Waiter, resultId: string | null = null): void {
    this.#waiters.set(waiterKey(waiter), waiter);
    if (resultId !== null) this.loadStep(waiter, resultKey(waiter.stepId), resultId);
  }
  loadEvent(event: StoredEvent): void {
    this.#events.set(eventKey(event), event);
  }

  find(ref: RunRef): RunState | null {
    const { createdAt } = ref;
    if (createdAt === undefined) return this.latest(ref);
    return this.#runs.get(runKey({ ...ref, createdAt })) ?? null;
  }
  latest(name: RunName): RunState | null {
    return this.#latest.get(nameKey(name)) ?? null;
  }
  firstOf(key: RunKey, stepKey: string): string | null {
    return this.#steps.get(partKey(key, stepKey)) ?? null;
  }
  payload(key: RunKey): Uint8Array {
    return this.#payloads.get(runKey(key)) ?? new Uint8Array(0);
  }
  messages(key: RunKey): MessageState[] {
    const all = [...this.#messages()];
    return all.filter(
      ({ accountId, run }) =>
        run?.runId === key.runId && run.createdAt === key.createdAt && accountId === key.accountId,
    );
  }
  waiters(key: RunKey, eventId: string): Waiter[] {
    const ours = [...this.#waiters.values()].filter(
      (waiter) => waiter.eventId === eventId && runKey(waiter) === runKey(key),
    );
    return ours.toSorted((one, other) => one.stepId - other.stepId);
  }
  nextEvent(key: RunKey, eventId: string, isHook: boolean): StoredEvent | null {
    const ours = [...this.#events.values()].filter(
      (event) =>
        event.eventId === eventId && event.isHook === isHook && runKey(event) === runKey(key),
    );
    return ours.toSorted((one, other) => one.number - other.number)[0] ?? null;
  }

  apply(change: RunChange): void {
    switch (change.type) {
      case "run.added":
        this.load(change.run);
        this.added.set(runKey(change.run), change.run);
        return;
      case "run.changed":
        return this.#change(change.run);
      case "run.restated":
        this.restated.set(runKey(change.run), change.run);
        return this.#change(change.run);
      case "run.ended":
        this.ended.set(runKey(change.run), change);
        return this.#change(change.run);
      case "run-entry.added":
        return this.#add(change.entry);
      case "waiter.added":
        return this.#addWaiter(change.waiter);
      case "waiter.removed":
        return this.#removeWaiter(change.key);
      case "event.stored":
        this.loadEvent(change.event);
        this.eventsStored.set(eventKey(change.event), change.event);
        return;
      case "event.taken":
        return this.#takeEvent(change.event);
    }
  }

  #change(state: RunState): void {
    const key = runKey(state);
    this.load(state);
    (this.added.has(key) ? this.added : this.changed).set(key, state);
  }

  #add(entry: RunEntry): void {
    this.entries.push(entry);
    if (entry.stepKey !== null) this.loadStep(entry, entry.stepKey, entry.messageId);
    if (entry.kind === "payload") this.loadPayload(entry, entry.body);
  }

  #addWaiter(waiter: Waiter): void {
    const dueAt = this.#due.of(waiter.deadlineAt);
    this.loadWaiter(waiter);
    this.waitersAdded.set(waiterKey(waiter), { ...waiter, dueAt });
  }

  #removeWaiter(key: WaiterKey): void {
    const text = waiterKey(key);
    this.#waiters.delete(text);
    if (!this.waitersAdded.delete(text)) this.waitersRemoved.set(text, key);
  }

  #takeEvent(event: StoredEvent): void {
    const text = eventKey(event);
    this.#events.delete(text);
    if (!this.eventsStored.delete(text)) this.eventsTaken.set(text, event);
  }
}

/** A waiter, and its deadline in due time. */
export interface AddedWaiter extends Waiter {
  readonly dueAt: Instant;
}

export interface EndedRun {
  readonly run: RunState;
  readonly response: Uint8Array | null;
}

/** No name contains a NUL, so two different keys never give the same text. */
export const nameKey = ({ accountId, runId }: RunName): string => `${accountId}\0${runId}`;
export const runKey = (key: RunKey): string => `${nameKey(key)}\0${key.createdAt}`;
const partKey = (key: RunKey, part: string): string => `${runKey(key)}\0${part}`;
const waiterKey = (key: WaiterKey): string => partKey(key, `${key.eventId}\0${key.stepId}`);
const eventKey = (event: StoredEvent): string =>
  partKey(event, `${event.eventId}\0${event.number}`);
