import type { Instant } from "../core/model/message/message.ts";

/** What a node tells of itself with each beat. */
export interface NodeFacts {
  readonly version: string;
  readonly startedAt: Instant;
  readonly slotsUsed: number;
  readonly slotsMax: number;
}

/** Every node has a row; one that ended keeps it until another takes over. */
export interface NodeRecord extends NodeFacts {
  readonly nodeId: string;
  /** In due time. */
  readonly renewedAt: Instant;
  /** It starts no delivery. */
  readonly isPaused: boolean;
}

export const NO_FACTS: NodeFacts = { version: "", startedAt: 0, slotsUsed: 0, slotsMax: 0 };
