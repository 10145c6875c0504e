import type { LineLimits } from "./line.ts";
import type { Instant } from "../message/message.ts";

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

/** What is to be changed of a line; what is not named stays as it is. */
export type LinePatch = Partial<
  LineLimits & Pick<LineSetting, "isParallelismPinned" | "isRatePinned">
>;

/**
 * A line that a message is published into, and what its publisher wants of it. A queue is made by
 * its first message and then left alone; a flow-control key follows its newest, where it is not
 * pinned.
 */
export interface UsedLine extends LineKey {
  readonly limits: LineLimits;
}

/** How a line stands now. Counting ends at WAITING_COUNTED_MAX. */
export interface LineStatus {
  /** Of a queue, all that wait to be admitted; of a key, those that are due. */
  readonly waiting: number;
  /** Attempts under way; of a queue, messages that were admitted and have not ended. */
  readonly held: number;
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
}

/** A line as it was set, and how it stands. */
export interface LineReport {
  readonly setting: LineSetting;
  readonly status: LineStatus;
}

export const WAITING_COUNTED_MAX = 1_000_000;
