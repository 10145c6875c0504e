import { mapBody, type Rows, type Rule } from "../../rule.ts";
import type { Change } from "../../change.ts";
import type { FailureCall, RunState, RunKey } from "../../model/workflow/run.ts";
import { newMessage } from "../message/compose-message.ts";
import { hostOf } from "../../policy/egress/read-destination.ts";
import { addMessage } from "../message/publish.ts";
import type { DeadLetterKey } from "../../model/message/dead-letter.ts";
import type { Message } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import { cancelMessage } from "../message/end-message.ts";

/** Refused: the report is not in a state that allows it. */
type ReportAnswer = "done" | "gone" | "refused";

export interface RetryReportAct {
  readonly rule: "retry-report";
  readonly at: Instant;
  readonly key: DeadLetterKey;
  readonly from: RunKey;
  readonly requested: Message;
  readonly body: Uint8Array;
}

/** Reports the failure of a run again, when the report itself has failed. */
export const retryReport: Rule<RetryReportAct, ReportAnswer> = {
  needs: ({ key, from }) => ({ deadLetters: [key], runs: [{ ref: from }] }),
  decide: (act, rows) => {
    const state = failed(act, rows);
    if (state === null) return { changes: [], answer: "gone" };
    if (state.failure?.call?.state !== "failed") return { changes: [], answer: "refused" };
    const { requested, body } = act;
    const call: FailureCall = { messageId: requested.messageId, state: "in-progress" };
    const added = addMessage(newMessage(requested, hostOf(requested.url), body, null));
    return { changes: [withCall(state, call), ...added], answer: "done" satisfies ReportAnswer };
  },
  mapParts: mapBody,
};

export interface CancelReportAct {
  readonly rule: "cancel-report";
  readonly at: Instant;
  readonly key: DeadLetterKey;
  readonly from: RunKey;
  readonly messageId: string;
}

/** Stops reporting. An attempt in progress may still end, and then counts. */
export const cancelReport: Rule<CancelReportAct, ReportAnswer> = {
  needs: ({ key, from, messageId }) => ({
    deadLetters: [key],
    runs: [{ ref: from }],
    messages: [{ accountId: key.accountId, messageId }],
  }),
  decide: (act, rows) => {
    const { messageId, at } = act;
    const state = failed(act, rows);
    if (state === null) return { changes: [], answer: "gone" };
    const call = state.failure?.call;
    const message = rows.message({ accountId: state.accountId, messageId });
    if (call?.state !== "in-progress" || call.messageId !== messageId || message === null) {
      return { changes: [], answer: "refused" };
    }
    const changes = [
      withCall(state, { messageId, state: "cancelled" }),
      ...cancelMessage(message, at),
    ];
    return { changes, answer: "done" satisfies ReportAnswer };
  },
};

function failed({ key, from }: RetryReportAct | CancelReportAct, rows: Rows): RunState | null {
  return rows.deadLetter(key)?.run === undefined ? null : rows.runs.find(from);
}

function withCall(state: RunState, call: FailureCall): Change {
  const { failure } = state;
  return { type: "run.changed", run: { ...state, failure: failure && { ...failure, call } } };
}
