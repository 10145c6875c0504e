import type { FollowUpSource, SettleAct } from "../message/settlement.ts";
import type { Change } from "../../change.ts";
import { answerHeadersOf } from "../../model/message/attempt.ts";
import { type DeadLetter, deadLetterId } from "../../model/message/dead-letter.ts";
import { type CallbackRequest, nested } from "../../model/message/settings.ts";
import type { Message } from "../../model/message/message.ts";
import type { RunFailure, RunState } from "../../model/workflow/run.ts";
import { causeOf } from "../../policy/failure/cause.ts";
import type { Rows } from "../../rule.ts";
import {
  answeredHeaders,
  failedBody,
  failurePayload,
  jsonHeaders,
} from "../message/callback-payload.ts";
import { newMessage } from "../message/compose-message.ts";
import { hostOf } from "../../policy/egress/host-of.ts";
import { ended } from "./end-run.ts";
import { tellInvoker } from "./invoker.ts";
import { addMessage } from "../message/publish.ts";
import { redactionOfFailure } from "../../views/redact.ts";
import { positionOf } from "./run-message.ts";

/**
 * A message of the run could not be delivered, so the run has failed: one dead letter, one call
 * that reports it, and nothing more is sent. Of several failures at once, the first one counts.
 */
export function failRun(
  state: RunState,
  source: FollowUpSource,
  act: SettleAct,
  rows: Rows,
): Change[] {
  const { accountId, runId, createdAt } = state;
  const { messageId } = source.message;
  const deadLetter: DeadLetter = {
    accountId,
    messageId,
    diedAt: act.at,
    number: rows.nextDeadLetterNumber(),
    attempt: act.attempt.number,
    status: act.attempt.status,
    error: act.attempt.error,
    cause: causeOf(act.attempt),
    run: { runId, createdAt },
  };
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

/**
 * The message that reports the failure: to the given URL, or to the endpoint's failure function.
 */
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
  const payload = failurePayload({
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
  const body = new TextEncoder().encode(payload);
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
