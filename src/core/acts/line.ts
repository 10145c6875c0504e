import type { LineKey, LinePatch } from "../model/line/line-setting.ts";
import type { Instant } from "../model/time.ts";

export type LineAct = SetLineAct | UnsetLineAct;

/** Changes the setting of a queue or a flow-control key; a claim visits the line at once. */
export interface SetLineAct extends LineKey {
  readonly rule: "set-line";
  readonly at: Instant;
  readonly patch: LinePatch;
  /** What to do when the line has no setting yet. */
  readonly ifMissing: "add" | "refuse";
  /** How many queues the account may have; null when the limit is not checked. */
  readonly queuesMax: number | null;
  /** Starts a new rate window. */
  readonly resetsRate?: boolean;
}

/** Removes the setting of a queue or a flow-control key. */
export interface UnsetLineAct extends LineKey {
  readonly rule: "unset-line";
  readonly at: Instant;
}

export interface LineAnswers {
  readonly "set-line": "set" | "missing" | "full";
  readonly "unset-line": null;
}
