import type { LineRunning } from "./line.ts";
import type { LineSetting } from "./line-setting.ts";
import type { Instant } from "../message/message.ts";

/** A line as somebody finds it who would go through it without standing in it. */
export interface LineSnapshot {
  /** Null when nobody has set it. */
  readonly setting: LineSetting | null;
  /** Null when nobody has stood in it. */
  readonly running: LineRunning | null;
  /** Messages that take up its room. */
  readonly held: number;
  /** When the first of those that wait in it is ready; null when none waits. */
  readonly nextReadyAt: Instant | null;
}

/** A rate window, and how many have started in it. */
export interface RateWindow {
  readonly startedAt: Instant;
  readonly starts: number;
}
