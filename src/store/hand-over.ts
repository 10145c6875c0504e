import type { HostObstacle } from "../core/model/line/waiting.ts";
import type { LeasedMessage } from "./store.ts";

/**
 * Passes a message that was just stored straight to the sender, without either side knowing the
 * other: an operation reserves a slot, commits the message already leased, and starts the slot.
 */
export interface HandOver {
  /** A slot to send at once, or null when the message must wait in its line. */
  reserve(request: SlotRequest): Slot | null;
  /** What this node has too little of to start a message that is due; null when it has room. */
  obstacleFor(message: DueMessage): HostObstacle | null;
}

export interface DueMessage {
  readonly accountId: string;
  readonly host: string;
  readonly isRetry: boolean;
}

export interface SlotRequest {
  readonly accountId: string;
  readonly host: string;
  readonly bytes: number;
  /** It is in a queue or under a key, where the store keeps it from overtaking other messages. */
  readonly isInLine: boolean;
}

/** A reserved slot of this node. Exactly one of its two methods is called. */
export interface Slot {
  /** The node that holds the lease. */
  readonly nodeId: string;
  /** The commit is durable and granted the lease: send the message. */
  start(leased: LeasedMessage): void;
  /** The message was not stored: the slot is free again. */
  release(): void;
}
