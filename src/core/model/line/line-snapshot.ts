import type { LineRunning } from "./line.ts";
import type { LineSetting } from "./line-setting.ts";
import type { Instant } from "../time.ts";

/** A line as a rule sees it that may lease a new message at once, without adding it to the line. */
export interface LineSnapshot {
  /** Null when the line has no setting. */
  readonly setting: LineSetting | null;
  /** Null when no message has waited in the line. */
  readonly running: LineRunning | null;
  /** Messages that hold its slots. */
  readonly held: number;
  /** When the first waiting message is ready; null when none waits. */
  readonly nextReadyAt: Instant | null;
}

/** A rate window, and how many messages have started in it. */
export interface RateWindow {
  readonly startedAt: Instant;
  readonly starts: number;
}
