import type { HeaderList, Message } from "../message/message.ts";
import type { Instant } from "../time.ts";
import type { RunKey, Step } from "./run.ts";

/** A step that waits for an event until its deadline: the act that removes it decides. */
export interface Waiter extends WaiterKey {
  /** The id of the entry that opened the step. */
  readonly messageId: string;
  readonly deadlineAt: Instant;
  readonly step: Step;
  /** The messages that deliver the event, and the timeout. */
  readonly notified: Message;
  readonly timedOut: Message;
  readonly shown: ShownWaiter;
}

export interface WaiterKey extends RunKey {
  readonly eventId: string;
  readonly stepId: number;
}

/** The wait as requested, for lists of waiters. */
export interface ShownWaiter {
  readonly url: string;
  readonly headers: HeaderList;
  readonly timeoutUrl?: string | undefined;
  readonly timeoutHeaders?: HeaderList | undefined;
  readonly timeoutBody?: unknown;
}

/** An event for one run in which no step waited for it; the next wait takes the oldest. */
export interface StoredEvent extends RunKey {
  readonly eventId: string;
  /** In the order of arrival. */
  readonly number: number;
  /** It came through a webhook, so only a webhook wait takes it. */
  readonly isHook: boolean;
  readonly body: Uint8Array;
}
