import type { LeasedMessage } from "./store.ts";

/**
 * How a message that was just stored goes straight to the sender, without either side knowing the
 * other: whoever publishes reserves a slot, commits the message already leased, and hands it over.
 */
export interface HandOver {
  /** A slot to send at once, or null when the message is to wait in its line like the others. */
  reserve(newcomer: NewMessage): Slot | null;
}

export interface NewMessage {
  readonly accountId: string;
  readonly host: string;
  readonly bytes: number;
  /** It stands in a queue or under a key, where the store sees to it that it overtakes nobody. */
  readonly isInLine: boolean;
}

/** A place under way on this node. Exactly one of its two ends is used. */
export interface Slot {
  /** The node in whose name the message is leased. */
  readonly nodeId: string;
  /** The commit is durable and granted the lease: send it. */
  start(leased: LeasedMessage): void;
  /** The message was not stored: somebody else may have the slot. */
  release(): void;
}
