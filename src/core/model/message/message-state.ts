import type { MessageKey } from "./message.ts";
import type { Instant } from "../time.ts";

/**
 * The mutable part of a message: one slim row, deleted when the message has ended. The message, its
 * attempts and its log entries remain.
 */
export interface MessageState extends MessageKey {
  readonly phase: "waiting" | "active";
  /** Attempts made so far. */
  readonly attempts: number;
  /** In due time. `NO_DELAY` while it is in a queue, unless a delay was requested. */
  readonly readyAt: Instant;
  /** The one line it is in; see line.ts. */
  readonly line: string;
  /** Its line once its queue has admitted it; null when it is in no queue. */
  readonly lineAfter: string | null;
  readonly host: string;
  /** Size of its body, for the byte budget of a claim. */
  readonly bytes: number;
  /** Grows with every lease and every lost lease; a settlement with an older fence is void. */
  readonly fence: number;
  readonly nodeId: string | null;
  /** In due time. */
  readonly leasedAt: Instant | null;
  /** Leases lost to crashes. They use up no retry; too many make the message a suspect. */
  readonly losses: number;
  readonly cancelRequested: boolean;
  /** The message whose queue slot it helps to hold; null outside queues. */
  readonly rootId: string | null;
  /** The queue that admitted that message, whose slot is freed when no message of it is left. */
  readonly queue: string | null;
  /** The run it belongs to, with which it ends; null outside runs. */
  readonly run: { readonly runId: string; readonly createdAt: Instant } | null;
}

/** Always past, whatever the clock shows: in a queue only a delay makes a message wait. */
export const NO_DELAY: Instant = 0;

/** The right of one node to settle one message. */
export interface Lease extends MessageKey {
  readonly fence: number;
}

/** From this many lost leases on, a message runs only when no other suspect does. */
export const SUSPECT_LOSSES = 3;
/** A message with this many lost leases is poison, and becomes a dead letter. */
export const POISON_LOSSES = SUSPECT_LOSSES + 10;

export function isSuspect(state: MessageState): boolean {
  return state.losses >= SUSPECT_LOSSES;
}
