import type { LineKey, LinePatch } from "../model/line/line-setting.ts";
import type { Instant } from "../model/message/message.ts";

export type LineAct = SetLineAct | UnsetLineAct;

/** Changes what was set of a queue or a flow-control key; the line is looked at at once. */
export interface SetLineAct extends LineKey {
  readonly rule: "set-line";
  readonly at: Instant;
  readonly patch: LinePatch;
  /** What becomes of a line that nobody has set before. */
  readonly ifMissing: "add" | "refuse";
  /** How many queues the account may have; null when that is not asked. */
  readonly queuesMax: number | null;
  /** Begins a new rate window. */
  readonly resetsRate?: boolean;
}

/** Forgets what was set of a queue or a flow-control key. */
export interface UnsetLineAct extends LineKey {
  readonly rule: "unset-line";
  readonly at: Instant;
}

export interface LineAnswers {
  readonly "set-line": "set" | "missing" | "full";
  readonly "unset-line": null;
}
