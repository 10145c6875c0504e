import type { LineLimits } from "./line.ts";
import type { Instant } from "../time.ts";

/**
 * The setting of a queue or a flow-control key. Its running state is stored separately; see
 * line.ts.
 */
export interface LineSetting extends LineKey {
  readonly limits: LineLimits;
  /** A pinned limit is not changed by publishing. */
  readonly isParallelismPinned: boolean;
  readonly isRatePinned: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface LineKey {
  readonly accountId: string;
  readonly line: string;
}

/** Changes to a line's setting; fields that are absent stay unchanged. */
export type LinePatch = Partial<
  LineLimits & Pick<LineSetting, "isParallelismPinned" | "isRatePinned">
>;

/**
 * A line that a message is published into, and the limits its publisher asks for. A queue is
 * created by its first message and not changed by later ones; a flow-control key follows its newest
 * message, where it is not pinned.
 */
export interface UsedLine extends LineKey {
  readonly limits: LineLimits;
}

/** The limits that publishers asked for in a line, in order of publishing. */
export interface LineUses extends LineKey {
  readonly asked: readonly { readonly limits: LineLimits; readonly at: Instant }[];
}

/** The current use of a line. Counting stops at WAITING_COUNTED_MAX; in a list, lines share a lower limit. */
export interface LineStatus {
  /** In a queue, all messages that wait to be admitted; under a key, those that are due. */
  readonly waiting: number;
  /** Attempts in progress; in a queue, admitted messages that have not ended. */
  readonly held: number;
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
}

/** The setting of a line and its current use. */
export interface LineReport {
  readonly setting: LineSetting;
  readonly status: LineStatus;
}

export const WAITING_COUNTED_MAX = 1_000_000;
