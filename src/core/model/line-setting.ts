import type { LineLimits } from "./line.ts";
import type { Instant } from "./message.ts";

/** What was set of a queue or a flow-control key. Its running state is kept apart; see line.ts. */
export interface LineSetting extends LineKey {
  readonly limits: LineLimits;
  /** A pinned limit is not changed by what is published. */
  readonly isParallelismPinned: boolean;
  readonly isRatePinned: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface LineKey {
  readonly accountId: string;
  readonly line: string;
}

/** How a line stands now. */
export interface LineStatus {
  readonly waiting: number;
  /** Attempts under way, of a queue: messages that hold a slot. */
  readonly held: number;
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
}
