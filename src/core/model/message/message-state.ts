import type { Instant, MessageKey } from "./message.ts";

/**
 * What changes about a message while it lives: one slim row, gone when the message has ended.
 * The message itself, its attempts and its log entries stay behind.
 */
export interface MessageState extends MessageKey {
  readonly phase: "waiting" | "active";
  /** Attempts made so far. */
  readonly attempts: number;
  /** In due time. `NO_DELAY` while it stands in a queue, unless a delay was asked for. */
  readonly readyAt: Instant;
  /** The one line in which it stands; see line.ts. */
  readonly line: string;
  /** Where it stands once its queue has admitted it; null when no queue is left to pass. */
  readonly lineAfter: string | null;
  readonly host: string;
  /** Size of its body, for the byte budget of a claim. */
  readonly bytes: number;
  /** Grows with every lease and every loss of one; a settlement with an older fence is void. */
  readonly fence: number;
  readonly nodeId: string | null;
  /** In due time. */
  readonly leasedAt: Instant | null;
  /** Leases lost to crashes. They use up no retry; too many make the message a suspect. */
  readonly losses: number;
  readonly cancelRequested: boolean;
  /** The message whose queue slot it helps to hold; null outside queues. */
  readonly rootId: string | null;
  /** The queue that has let that message through, and gives its slot away when none of it is left. */
  readonly queue: string | null;
  /** The run that it belongs to, so that it ends with the run; null outside of runs. */
  readonly run: { readonly runId: string; readonly createdAt: Instant } | null;
}

/** Always past, whatever the clock says: only a delay makes a message wait in its queue. */
export const NO_DELAY: Instant = 0;

/** The right of one node to settle one message. */
export interface Lease extends MessageKey {
  readonly fence: number;
}

/** From this many lost leases on, a message runs only when no other suspect does. */
export const SUSPECT_LOSSES = 3;
/** A message that is lost this often as a suspect is poison, and is dead-lettered. */
export const POISON_LOSSES = SUSPECT_LOSSES + 10;

export function isSuspect(state: MessageState): boolean {
  return state.losses >= SUSPECT_LOSSES;
}
