import { type FollowUpSource, type SettleAct, deadLetterOf } from "../message/settlement.ts";
import type { Change } from "../../change.ts";
import { answerHeadersOf, type BodyCut } from "../../model/message/attempt.ts";
import { type CallbackRequest, nested } from "../../model/message/settings.ts";
import type { Message, Settings } from "../../model/message/message.ts";
import {
  type FailureCall,
  isActive,
  type RunState,
  type RunRef,
  type RunFailure,
} from "../../model/workflow/run.ts";
import type { Rows, RunNeed } from "../../rule.ts";
import {
  answeredBody,
  answeredHeaders,
  callbackPayload,
  jsonHeaders,
  failedBody,
  failurePayload,
} from "../message/callback-payload.ts";
import { invokerNeed, tellInvoker, ended } from "./end-run.ts";
import type { Verdict } from "../message/judge.ts";
import { grow } from "./run-entries.ts";
import { dueNow, addRunMessage, positionOf } from "./run-message.ts";
import { deadLetterId } from "../../model/message/dead-letter.ts";
import { newMessage } from "../message/compose-message.ts";
import { hostOf } from "../../policy/egress/read-destination.ts";
import { addMessage } from "../message/publish.ts";
import { redactionOfFailure } from "../../views/redact.ts";

/** The rows of the run whose message is settled for good. */
export function settledRunNeeds({ message }: FollowUpSource, verdict: Verdict): RunNeed[] {
  const ref = runOf(message);
  const fails = verdict.kind === "dead" && endsRun(message);
  const need: RunNeed = { ref, messages: fails, payload: fails };
  const invoker = message.run?.invoker;
  const { accountId } = message;
  return fails && invoker ? [need, invokerNeed({ accountId, ...invoker })] : [need];
}

/** Whether the run fails when this message cannot be delivered. A failed call is only a value. */
export function endsRun({ kind }: Message): boolean {
  return kind === "step" || kind === "call-result";
}

/**
 * The answer of a settlement that depends on whether the locked run has got an entry; null when it
 * proceeds. Submissions accepted before it count, later ones are refused.
 */
export function idleAnswer(
  source: FollowUpSource | null,
  verdict: Verdict,
  rows: Rows,
): "idle" | "gained" | null {
  if (source === null || verdict.kind === "retry") return null;
  const { message } = source;
  const state = rows.runs.find(runOf(message));
  if (verdict.kind === "delivered") {
    return verdict.idleReason !== undefined && isActive(state) && !hasGained(state) ? "idle" : null;
  }
  if (verdict.ifIdle !== true) return null;
  const isIdle = isActive(state) && !hasGained(state) && !isAskedAgain(state, message, rows);
  return isIdle ? null : "gained";
}

/** Steps, waits, calls and invoked runs are entries after the payload; events are counted. */
function hasGained({ nextOrdinal, storedEvents }: RunState): boolean {
  return nextOrdinal - storedEvents > 1;
}

/** An endpoint that has answered with its own settings gets the payload in another message. */
function isAskedAgain(state: RunState, { messageId }: Message, rows: Rows): boolean {
  return rows.runs.messages(state).some((other) => other.messageId !== messageId);
}

export function settleRun(source: FollowUpSource, act: SettleAct, rows: Rows): Change[] {
  const state = rows.runs.find(runOf(source.message));
  if (state === null) return [];
  if (source.message.kind === "failure-call") return reported(state, act);
  if (!isActive(state)) return [];
  if (source.message.kind === "call") return answered(state, source, act);
  return act.verdict.kind === "dead" ? failRun(state, source, act, rows) : [];
}

/** The third party has answered, or the last attempt failed: the endpoint gets it, once. */
function answered(before: RunState, source: FollowUpSource, act: SettleAct): Change[] {
  const { message, callbackId } = source;
  const { callback } = message.settings;
  if (callback === undefined) return [];
  const body = resultOf(source, act);
  const { state, ordinal, change } = grow(before, {
    kind: "call-result",
    messageId: callbackId,
    stepKey: null,
    at: act.at,
    body: new Uint8Array(0),
  });
  const { delayMs: _, settings, ...request } = nested<CallbackRequest>(callback);
  const callMessage: Message = {
    ...message,
    ...request,
    headers: jsonHeaders(callback.headers),
    settings: { ...withoutCallbacks(message.settings), ...settings },
  };
  const { changes } = addRunMessage(state, {
    kind: "call-result",
    requested: dueNow(callMessage, callbackId, act.at),
    ordinal,
    body,
    nodeId: null,
  });
  return [{ type: "run.changed", run: state }, change, ...changes];
}

function resultOf(source: FollowUpSource, { attempt }: SettleAct): Uint8Array {
  const retried = attempt.number - 1;
  const status = statusOf(attempt.status, source.responseCut);
  const { message } = source;
  const isGood = status >= 200 && status < 300;
  return callbackPayload({
    // Clients wait for another result of a failed call while retries seem to be left.
    message: isGood ? message : { ...message, settings: { ...message.settings, retries: retried } },
    body: source.body,
    status,
    error: attempt.error,
    responseHeaders: answeredHeaders(answerHeadersOf(attempt), source.responseCut),
    responseBody: answeredBody(source),
    retried,
  });
}

/** A call with an incomplete response has failed, whatever its status. */
function statusOf(status: number, cut: BodyCut | undefined): number {
  if (cut === undefined || status < 200 || status > 299) return status;
  return cut === "broken" ? BAD_GATEWAY : CONTENT_TOO_LARGE;
}

/** The call to the failure function, or to the failure URL, has ended. */
function reported(state: RunState, { lease, verdict, attempt }: SettleAct): Change[] {
  const { failure } = state;
  if (failure?.call?.messageId !== lease.messageId) return [];
  const call: FailureCall = {
    messageId: lease.messageId,
    state:
      verdict.kind !== "delivered" ? "failed" : isAbsent(attempt.headers) ? "absent" : "success",
  };
  return [{ type: "run.changed", run: { ...state, failure: { ...failure, call } } }];
}

/** An endpoint without a failure function answers with this header. */
function isAbsent(headers: string): boolean {
  return answerHeadersOf({ headers }).some(([name]) => NOT_FOUND_NAME.test(name));
}

function withoutCallbacks(settings: Settings): Settings {
  return { ...settings, callback: undefined, failureCallback: undefined, flowControl: undefined };
}

function runOf({ accountId, run }: Message): RunRef {
  return { accountId, runId: run?.runId ?? "", createdAt: run?.createdAt };
}

const CONTENT_TOO_LARGE = 413;
const BAD_GATEWAY = 502;
const NOT_FOUND_NAME = /^(?:svc|upstash)-workflow-failure-callback-notfound$/i;

/**
 * A message of the run could not be delivered, so the run has failed: one dead letter, one call
 * that reports it, and nothing more is sent. Of several failures at once, the first one counts.
 */
function failRun(state: RunState, source: FollowUpSource, act: SettleAct, rows: Rows): Change[] {
  const { runId, createdAt } = state;
  const { messageId } = source.message;
  const deadLetter = { ...deadLetterOf(act, rows), run: { runId, createdAt } };
  const call = failureCall(state, source, act, rows, deadLetterId(deadLetter));
  const failure: RunFailure = {
    deadLetter: { diedAt: deadLetter.diedAt, number: deadLetter.number },
    messageId,
    call: call && { messageId: source.failureCallbackId, state: "in-progress" },
  };
  const ending = { phase: "failed", at: act.at, response: null } as const;
  return [
    { type: "dead-letter.added", deadLetter },
    ...ended(state, { ...ending, failure }, rows),
    ...(call ?? []),
    ...tellInvoker(state.run, ending, source.invokerMessageId, act.at, rows),
  ];
}

/** The message that reports the failure: to the given URL, or to the failure function. */
function failureCall(
  state: RunState,
  source: FollowUpSource,
  act: SettleAct,
  rows: Rows,
  dlqId: string,
): Change[] | undefined {
  const { run } = state;
  const { accountId, dialect, callerIp } = run;
  const { failureCallback, labels, redact } = run.settings;
  if (failureCallback === undefined) return undefined;
  const { delayMs, settings, ...request } = nested<CallbackRequest>(failureCallback);
  const body = failurePayload({
    run,
    payload: rows.runs.payload(state),
    message: source.message,
    status: act.attempt.status,
    error: act.attempt.error,
    responseHeaders: answeredHeaders(answerHeadersOf(act.attempt), source.responseCut),
    responseBody: failedBody(source),
    retried: act.attempt.number - 1,
    dlqId,
  });
  const message: Message = {
    ...request,
    accountId,
    messageId: source.failureCallbackId,
    kind: "failure-call",
    dialect,
    headers: jsonHeaders(request.headers),
    settings: { ...settings, labels, redact: redactionOfFailure(redact, body) },
    callerIp,
    createdAt: act.at,
    notBefore: act.at + delayMs,
    run: { ...positionOf(run, state.nextOrdinal), detectTrigger: undefined },
  };
  return addMessage(newMessage(message, hostOf(message.url), body, null));
}
