import type { HeaderList, Instant, Message } from "../message/message.ts";
import type { RunKey } from "./run.ts";
import type { Step } from "./step.ts";

/** A step that waits for an event until its deadline. Whoever removes it decides which came first. */
export interface Waiter extends WaiterKey {
  /** The entry that opened the step. */
  readonly messageId: string;
  readonly deadlineAt: Instant;
  readonly step: Step;
  /** What the event is sent with, and what its absence is sent with. */
  readonly notified: Message;
  readonly timedOut: Message;
  readonly shown: ShownWaiter;
}

export interface WaiterKey extends RunKey {
  readonly eventId: string;
  readonly stepId: number;
}

/** What was asked for, as lists of waiters show it. */
export interface ShownWaiter {
  readonly url: string;
  readonly headers: HeaderList;
  readonly timeoutUrl?: string | undefined;
  readonly timeoutHeaders?: HeaderList | undefined;
  readonly timeoutBody?: unknown;
}

/** An event for one run that nobody of it waited for yet; the next wait takes the oldest. */
export interface StoredEvent extends RunKey {
  readonly eventId: string;
  /** In the order of arrival. */
  readonly number: number;
  /** It came by a webhook, so that only a wait for a webhook takes it. */
  readonly isHook: boolean;
  readonly body: Uint8Array;
}
