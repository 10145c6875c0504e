import type { Instant } from "../time.ts";
import type { LineSnapshot } from "./line.ts";

/** What a node has too little of to start a message that is due. */
const HOST_OBSTACLES = ["host-full", "host-failing", "node-full"] as const;
export type HostObstacle = (typeof HOST_OBSTACLES)[number];

export const WAIT_REASONS = [
  "delay",
  "retry",
  "paused",
  "queue-full",
  "key-rate",
  "key-parallelism",
  "account-parallelism",
  ...HOST_OBSTACLES,
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

export interface Wait {
  readonly reason: WaitReason;
  /** The earliest end, in due time; null when it is not known. */
  readonly endsAt: Instant | null;
  /** The line in which it waits; null when the whole account or service is paused or full. */
  readonly line: string | null;
  readonly pausedBy?: "service" | "account" | "queue" | "key" | undefined;
  /** Messages that hold the slots of a full queue or key, where they were looked up. */
  readonly heldBy?: readonly string[] | undefined;
}

/** What holds back every line of an account. */
export interface AccountLoad {
  readonly isHalted: boolean;
  readonly parallelismMax: number | null;
  /** Attempts under way that count against it. */
  readonly held: number;
}

/** A line and the account it belongs to, as a waiting message meets them. */
export interface LineLoad extends Omit<LineSnapshot, "nextReadyAt"> {
  readonly account: AccountLoad;
}

/** Messages of one line that wait for the same reason. */
export interface WaitingGroup {
  readonly count: number;
  /** There may be more; counting has ended. */
  readonly isAbout: boolean;
  /** The oldest of those that were counted. */
  readonly oldestId: string;
  readonly oldestHost: string;
  /** When the first of them is ready. */
  readonly readyAt: Instant;
}

/** A line in which messages wait; a group is null when it is empty. */
export interface WaitingLine extends LineLoad {
  readonly line: string;
  readonly due: WaitingGroup | null;
  /** Not due, and never tried. */
  readonly delayed: WaitingGroup | null;
  /** Not due after a failed attempt. */
  readonly retried: WaitingGroup | null;
}

/** Where messages wait for the reasons that a filter names. */
export interface WaitingPlaces {
  /** In due time. */
  readonly now: Instant;
  readonly reasons: readonly WaitReason[];
  /** Lines whose due messages wait for one of them. */
  readonly lines: readonly string[];
}

export interface WaitingLines {
  readonly lines: readonly WaitingLine[];
  /** Some lines were not read. */
  readonly isPartial: boolean;
}
