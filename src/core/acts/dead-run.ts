import type { DeadLetterKey } from "../model/message/dead-letter.ts";
import type { Message } from "../model/message/message.ts";
import type { Instant } from "../model/time.ts";
import type { RunEntry } from "../model/workflow/run-entry.ts";
import type { Run, RunKey } from "../model/workflow/run.ts";

/** Acts on failed runs. */
export type DeadRunAct = RerunAct | RetryReportAct | CancelReportAct;

export interface RerunAct {
  readonly rule: "rerun";
  readonly at: Instant;
  readonly key: DeadLetterKey;
  readonly from: RunKey;
  /** Of the failed run, at the time its entries were read. */
  readonly nextOrdinal: number;
  readonly run: Run;
  /**
   * The first entries of the new run, in order; an entry that is sent again has the id of the new
   * message.
   */
  readonly entries: readonly RunEntry[];
  readonly resent: readonly Resent[];
}

export interface Resent {
  readonly kind: "step" | "call-result";
  readonly requested: Message;
  readonly ordinal: number;
  /** The body of a call's result. */
  readonly body: Uint8Array;
}

export interface RetryReportAct {
  readonly rule: "retry-report";
  readonly at: Instant;
  readonly key: DeadLetterKey;
  readonly from: RunKey;
  readonly requested: Message;
  readonly body: Uint8Array;
}

export interface CancelReportAct {
  readonly rule: "cancel-report";
  readonly at: Instant;
  readonly key: DeadLetterKey;
  readonly from: RunKey;
  readonly messageId: string;
}

export interface DeadRunAnswers {
  readonly rerun: Rerun;
  readonly "retry-report": ReportAnswer;
  readonly "cancel-report": ReportAnswer;
}

export type Rerun =
  | { readonly kind: "rerun"; readonly runId: string; readonly createdAt: Instant }
  /** The dead letter is gone, the run has got another entry, or the id of the new run is in use. */
  | { readonly kind: "gone" | "changed" | "taken" };

/** Refused: the report is not in a state that allows it. */
export type ReportAnswer = "done" | "gone" | "refused";
