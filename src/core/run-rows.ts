import type { MessageState } from "./model/message/message-state.ts";
import type { RunKey, RunName, RunState } from "./model/workflow/run.ts";
import type { StoredEvent, Waiter } from "./model/workflow/waiter.ts";
import type { RunRef } from "./acts/run.ts";

/** The rows of a run that a rule needs loaded and locked. */
export interface RunNeed {
  readonly ref: RunRef;
  /** The step keys to look up in it. */
  readonly stepKeys?: readonly string[] | undefined;
  readonly payload?: boolean | undefined;
  /** Its messages that have not ended. */
  readonly messages?: boolean | undefined;
  /** Its waiters for an event, whether their steps have results, and the oldest stored event. */
  readonly eventId?: string | undefined;
  /** Whether the stored event must come from a webhook. */
  readonly isHook?: boolean | undefined;
}

/** The runs of a transaction. */
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
