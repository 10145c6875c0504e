import { mapBody, type Decision, type Rows, type Rule } from "../../rule.ts";
import {
  type FollowUpSource,
  type SettleAct,
  type SettleAnswer,
  deadLetterOf,
} from "./settlement.ts";
import type { Change } from "../../change.ts";
import { deadLetterId } from "../../model/message/dead-letter.ts";
import { lineForRetry } from "../../model/line/line.ts";
import type { LogEntry, LogState } from "../../model/message/log-entry.ts";
import type { Lease, MessageState } from "../../model/message/message.ts";
import { callbackOf, failureCallbackOf } from "./callback.ts";
import { endMessage, freeLine } from "./end-message.ts";
import type { Verdict } from "./judge.ts";
import { type NextLeased, successorOf } from "./next-in-queue.ts";
import { idleAnswer, settledRunNeeds, settleRun } from "../workflow/settle-run.ts";

/**
 * Records the result of an attempt: delivered, waiting for a retry, dead, or canceled, with the
 * callbacks that follow, in one transaction. A lease that is no longer held settles nothing.
 */
export const settle: Rule<SettleAct, SettleAnswer> = {
  needs: ({ lease, verdict, source, next }) => ({
    messages: [lease],
    ...(verdict.kind === "dead" ? { deadLetterNumbers: 1 } : {}),
    ...(next === undefined ? {} : { heads: [{ accountId: lease.accountId, line: next.queue }] }),
    ...(source?.message.run ? { runs: settledRunNeeds(source, verdict) } : {}),
  }),
  decide: (act, rows) => {
    const state = held(act.lease, rows);
    if (state === null) return { changes: [], answer: "stale" };
    const answer = idleAnswer(act.source, act.verdict, rows);
    if (answer !== null) return { changes: [], answer };
    if (state.cancelRequested && !wasAccepted(act.verdict)) return canceled(act, state);
    if (act.source?.message.run) return settledInRun(act.source, act, state, rows);
    switch (act.verdict.kind) {
      case "delivered":
        return deliveredInTurn(act, state, rows);
      case "retry":
        return settled(retried(act, state, act.verdict.readyAt));
      case "dead":
        return settled(died(act, state, rows));
    }
  },
  mapParts: (act, map) => ({
    ...act,
    attempt: mapBody(act.attempt, map),
    source: act.source && {
      ...mapBody(act.source, map),
      responseBody: map.body(act.source.responseBody),
    },
  }),
};

/** A delivery that the destination accepted cannot be canceled any more, even if its run fails. */
function wasAccepted(verdict: Verdict): boolean {
  return verdict.kind === "delivered" || (verdict.kind === "dead" && verdict.ifIdle === true);
}

/** The message of a lease; null when the lease is no longer held. */
export function held(lease: Lease, rows: Rows): MessageState | null {
  const state = rows.message(lease);
  return state?.fence === lease.fence && state.phase === "active" ? state : null;
}

/** The next message of its queue may take its slot, if nothing follows from this one. */
function deliveredInTurn(
  act: SettleAct,
  state: MessageState,
  rows: Rows,
): Decision<"settled" | NextLeased> {
  const isReported = act.source?.message.settings.callback !== undefined;
  const successor = isReported ? null : successorOf(state, act.next, rows);
  if (successor === null) return settled(delivered(act, state, report(act, state)));
  const { changes, granted } = successor;
  return {
    changes: delivered(act, state, changes),
    answer: { kind: "next-leased", next: granted },
  };
}

/** The fields that all settling acts share. */
type Attempted = Pick<SettleAct, "at" | "lease" | "attempt">;

export function delivered(
  act: Attempted,
  state: MessageState,
  followUps: readonly Change[] = [],
): Change[] {
  return [attempted(act, "DELIVERED"), ...endMessage(state, followUps)];
}

type LogAdded = Extract<Change, { type: "log.added" }>;

/** The run decides what follows: no callback and no dead letter of its message. */
function settledInRun(
  source: FollowUpSource,
  act: SettleAct,
  state: MessageState,
  rows: Rows,
): Decision<"settled"> {
  if (act.verdict.kind === "retry") return settled(retried(act, state, act.verdict.readyAt));
  const isDelivered = act.verdict.kind === "delivered";
  const changes = [
    attempted(act, isDelivered ? "DELIVERED" : "ERROR"),
    ...(isDelivered ? [] : [failed(act)]),
    ...endMessage(state),
  ];
  return settled([...changes, ...settleRun(source, act, rows)]);
}

function settled(changes: Change[]): Decision<"settled"> {
  return { changes, answer: "settled" };
}

/** Canceled during an attempt: it is reported, but not retried or stored as a dead letter. */
function canceled(act: SettleAct, state: MessageState): Decision<"canceled"> {
  const changes = [
    attempted(act, "ERROR"),
    logged(act, "CANCELED"),
    ...endMessage(state, report(act, state)),
  ];
  return { changes, answer: "canceled" };
}

function retried(act: SettleAct, state: MessageState, readyAt: number): Change[] {
  const line = lineForRetry(state.line, state.host);
  const { accountId } = state;
  return [
    attempted(act, "ERROR"),
    logged(act, "RETRY", { nextAt: readyAt }),
    {
      type: "message.changed",
      state: {
        ...state,
        phase: "waiting",
        attempts: act.attempt.number,
        readyAt,
        line,
        nodeId: null,
        leasedAt: null,
      },
    },
    ...freeLine(state),
    { type: "line.due", accountId, line, at: readyAt },
    ...report(act, state),
  ];
}

function died(act: SettleAct, state: MessageState, rows: Rows): Change[] {
  const deadLetter = deadLetterOf(act, rows);
  const reports = [
    ...report(act, state),
    ...(act.source ? failureCallbackOf(act.source, act, state, deadLetterId(deadLetter)) : []),
  ];
  return [
    attempted(act, "ERROR"),
    failed(act),
    { type: "dead-letter.added", deadLetter },
    ...endMessage(state, reports),
  ];
}

function attempted(act: Attempted, state: "DELIVERED" | "ERROR"): LogAdded {
  const { attempt } = act;
  const { status, error } = attempt;
  return { ...logged(act, state, { status, error }), attempt };
}

/** The log entry of a message that was not delivered, with its last attempt. */
function failed(act: Attempted): LogAdded {
  const { status, error } = act.attempt;
  return logged(act, "FAILED", { status, error });
}

function logged(act: Attempted, state: LogState, more: Partial<LogEntry> = {}): LogAdded {
  const { accountId, messageId } = act.lease;
  const attempt = act.attempt.number;
  return {
    type: "log.added",
    entry: { accountId, messageId, at: act.at, state, attempt, ...more },
  };
}

function report(act: SettleAct, state: MessageState): Change[] {
  return act.source && !act.source.message.run ? callbackOf(act.source, act, state) : [];
}
