import { mapBody, type Decision, type Rows, type Rule } from "../../rule.ts";
import type { Change } from "../../change.ts";
import type { Message } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import {
  isActive,
  type RunState,
  type RunRef,
  hookKey,
  isWebhookWait,
  openKey,
  resultKey,
} from "../../model/workflow/run.ts";
import type { StoredEvent, Waiter, WaiterKey } from "../../model/workflow/waiter.ts";
import { type Refused, excess, grow } from "./run-entries.ts";
import { type Submitted, dueNow, addRunMessage, type AddedRunMessage } from "./run-message.ts";

export interface NotifyAnswer {
  readonly notified: readonly { readonly waiter: Waiter; readonly messageId: string }[];
  /** Runs for which the event is stored. */
  readonly kept: number;
  /** Runs that have ended, have no such webhook, or store too many events already. */
  readonly refused: number;
}

/** Events stored for a run until it waits for them. */
export const STORED_EVENTS_MAX = 1_000;

export interface WaitAct {
  readonly rule: "wait";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly waiter: Omit<Waiter, "createdAt">;
  /** The id of the message that delivers the event, if it arrived before the wait. */
  readonly resultId: string;
  readonly nodeId: string | null;
}

/** A step waits for an event. An event stored for this run is taken at once. */
export const wait: Rule<WaitAct, ({ readonly kind: "waiting" } & Submitted) | Refused> = {
  needs: ({ ref, waiter: { stepId, eventId, step } }) => ({
    runs: [
      {
        ref,
        stepKeys: [openKey(stepId), resultKey(stepId)],
        eventId,
        isHook: isWebhookWait(step),
      },
    ],
  }),
  decide: (act, rows) => {
    const before = rows.runs.find(act.ref);
    if (!isActive(before)) return { changes: [], answer: { kind: "ended" } };
    const { messageId, step, eventId, deadlineAt } = act.waiter;
    const stepKey = openKey(step.stepId);
    const firstId =
      rows.runs.firstOf(before, stepKey) ?? rows.runs.firstOf(before, resultKey(step.stepId));
    if (firstId !== null) return waiting([], { messageId: firstId, deduplicated: true });
    const body = jsonBytes({ ...step, waitEventId: eventId, deadlineAt });
    const { state, change } = grow(before, { kind: "wait", messageId, stepKey, at: act.at, body });
    if (excess(state) === "entries") return { changes: [], answer: tooMuch("entries") };
    const waiter: Waiter = { ...act.waiter, createdAt: state.createdAt };
    const event = rows.runs.nextEvent(state, eventId, isWebhookWait(step));
    if (event !== null) return taken(act, state, change, waiter, event);
    return waiting(
      [{ type: "run.changed", run: state }, change, { type: "waiter.added", waiter }],
      {
        messageId,
      },
    );
  },
};

/** The event arrived before the wait. */
function taken(
  { at, resultId, nodeId }: WaitAct,
  opened: RunState,
  change: Change,
  waiter: Waiter,
  event: StoredEvent,
): Decision<{ readonly kind: "waiting" } & Submitted> {
  const before = { ...opened, storedEvents: opened.storedEvents - 1 };
  const { state, changes, leased } = notifyWaiter(before, waiter, event.body, resultId, at, nodeId);
  const all: Change[] = [
    { type: "run.changed", run: state },
    change,
    { type: "event.taken", event },
    ...changes,
  ];
  // The leased message is the result, not the entry that opened the step.
  return waiting(all, { messageId: leased ? resultId : waiter.messageId, leased });
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

/**
 * Delivers an event to the waiters of some runs. Where no step waits, it is stored if requested. A
 * webhook call releases webhook waits, a notification all others.
 */
export const notify: Rule<NotifyAct, NotifyAnswer> = {
  needs: ({ refs, eventId, isHook }) => ({
    runs: refs.map((ref) => ({ ref, eventId, stepKeys: isHook ? [hookKey(eventId)] : [] })),
  }),
  decide: (act, rows) => {
    const changes: Change[] = [];
    const notified: { waiter: Waiter; messageId: string }[] = [];
    let kept = 0;
    let refused = 0;
    for (const ref of act.refs) {
      const before = rows.runs.find(ref);
      if (!isActive(before) || !takes(rows, before, act)) {
        refused += 1;
        continue;
      }
      const all = rows.runs.waiters(before, act.eventId);
      changes.push(...all.filter((waiter) => isClosed(rows, waiter)).map(removed));
      const waiters = all.filter(
        (waiter) =>
          isWebhookWait(waiter.step) === act.isHook &&
          !isClosed(rows, waiter) &&
          (act.before === null || waiter.messageId < act.before),
      );
      let state: RunState = before;
      for (const waiter of waiters) {
        const messageId = act.messageIds[notified.length];
        if (messageId === undefined) break;
        const one = notifyWaiter(state, waiter, act.body, messageId, act.at, null);
        state = one.state;
        changes.push(removed(waiter), ...one.changes);
        notified.push({ waiter, messageId });
      }
      if (waiters.length === 0 && act.isKept) {
        if (state.storedEvents >= STORED_EVENTS_MAX) {
          refused += 1;
          continue;
        }
        kept += 1;
        changes.push({ type: "event.stored", event: eventOf(state, act) });
        state = {
          ...state,
          storedEvents: state.storedEvents + 1,
          nextOrdinal: state.nextOrdinal + 1,
        };
      }
      if (state !== before) changes.push({ type: "run.changed", run: state });
    }
    return { changes, answer: { notified, kept, refused } satisfies NotifyAnswer };
  },
  mapParts: mapBody,
};

export interface TimeOutWaitAct {
  readonly rule: "time-out-wait";
  readonly at: Instant;
  readonly key: WaiterKey;
  /** The same instant in due time, where due time is ahead of the clock. */
  readonly dueAt?: Instant | undefined;
  readonly messageId: string;
}

/**
 * The event did not arrive in time. The act that removes the waiter decides, so the waiter is
 * loaded first.
 */
export const timeOutWait: Rule<TimeOutWaitAct, "timed-out" | "gone"> = {
  needs: ({ key }) => ({ runs: [{ ref: key, eventId: key.eventId }] }),
  decide: ({ key, at, dueAt = at, messageId }, rows) => {
    const before = rows.runs.find(key);
    const waiter = isActive(before) ? waiterOf(rows, key) : undefined;
    if (!isActive(before) || waiter === undefined) return { changes: [], answer: "gone" };
    if (isClosed(rows, waiter)) return { changes: [removed(waiter)], answer: "gone" };
    if (waiter.deadlineAt > dueAt) return { changes: [], answer: "gone" };
    const body = jsonBytes({ ...waiter.step, waitTimeout: true, waitEventId: waiter.eventId });
    const { state, changes } = close(before, waiter, body, waiter.timedOut, messageId, at, null);
    return {
      changes: [removed(waiter), { type: "run.changed", run: state }, ...changes],
      answer: "timed-out",
    };
  },
};

/** Webhook callers have no token: only a run that has created the webhook accepts the call. */
function takes(rows: Rows, state: RunState, { isHook, eventId }: NotifyAct): boolean {
  return !isHook || rows.runs.firstOf(state, hookKey(eventId)) !== null;
}

function waiterOf(rows: Rows, key: TimeOutWaitAct["key"]): Waiter | undefined {
  return rows.runs.waiters(key, key.eventId).find(({ stepId }) => stepId === key.stepId);
}

/** Whether the endpoint itself has submitted a result of the step: no other may be added. */
function isClosed(rows: Rows, waiter: Waiter): boolean {
  return rows.runs.firstOf(waiter, resultKey(waiter.stepId)) !== null;
}

function removed(key: Waiter): Change {
  return { type: "waiter.removed", key };
}

function notifyWaiter(
  before: RunState,
  waiter: Waiter,
  event: Uint8Array,
  messageId: string,
  at: Instant,
  nodeId: string | null,
) {
  const { step, eventId } = waiter;
  const body = jsonBytes({ ...step, out: base64(event), waitEventId: eventId });
  return close(before, waiter, body, waiter.notified, messageId, at, nodeId);
}

/** The step gets its result, and the endpoint is called again. */
function close(
  before: RunState,
  { stepId }: Waiter,
  body: Uint8Array,
  requested: Message,
  messageId: string,
  at: Instant,
  nodeId: string | null,
): AddedRunMessage & { readonly state: RunState } {
  const entry = { kind: "result", messageId, stepKey: resultKey(stepId), at, body } as const;
  const { state, ordinal, change } = grow(before, entry);
  const sent = addRunMessage(state, {
    kind: "step",
    requested: dueNow(requested, messageId, at),
    ordinal,
    nodeId,
  });
  return { state, changes: [change, ...sent.changes], leased: sent.leased };
}

function eventOf(
  { accountId, runId, createdAt, nextOrdinal }: RunState,
  act: NotifyAct,
): StoredEvent {
  const { eventId, isHook, body } = act;
  return { accountId, runId, createdAt, eventId, number: nextOrdinal, isHook, body };
}

function waiting(
  changes: Change[],
  submitted: Partial<Submitted> & Pick<Submitted, "messageId">,
): Decision<{ readonly kind: "waiting" } & Submitted> {
  return {
    changes,
    answer: { kind: "waiting", deduplicated: false, leased: false, ...submitted },
  };
}

function tooMuch(what: "entries"): Refused {
  return { kind: "too-much", what };
}

function jsonBytes(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
