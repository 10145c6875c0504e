import { STATUS_CODES } from "node:http";
import type { AttemptRecord } from "../../core/model/message/attempt.ts";
import { deadLetterId } from "../../core/model/message/dead-letter.ts";
import {
  type CallRecord,
  type FailureLog,
  type NextRecord,
  FAILURE_STATES,
  RUN_STATES,
  type StepGroup,
  type StepRecord,
} from "../../core/model/workflow/run-log.ts";
import type { DeadRun } from "../../core/model/workflow/dead-run.ts";
import type { RunInstance } from "../../core/model/message/message.ts";
import type { InvokedHistory, RunState } from "../../core/model/workflow/run.ts";
import { wantedMembers } from "../../core/policy/limits/json-members.ts";
import { answerError } from "../../core/policy/failure/answer-error.ts";
import type { RunEvent } from "../../core/views/run-events.ts";
import type { TypeOf } from "../json/schema.ts";
import { shownBody } from "../message/body.ts";
import {
  deathJson,
  answerHeaders,
  contentJson,
  cutMark,
  labelsJson,
  settingsJson,
} from "../message/message.ts";
import { RunBodies } from "./run-body.ts";
import type { BodyTrim } from "./run-log-query.ts";
import type { DEAD_RUN, ERRORS, ReportState, RUN, RUN_EVENT, STEP } from "./run-schemas.ts";

export type RunAnswer = TypeOf<typeof RUN>;
export type RunEventAnswer = TypeOf<typeof RUN_EVENT>;
type StepAnswer = TypeOf<typeof STEP>;

export interface LoggedRun {
  readonly state: RunState;
  readonly response: Uint8Array | null;
  readonly groups: readonly StepGroup[];
  readonly failure: FailureLog | null;
}

export function runLogJson(
  { state, response, groups, failure }: LoggedRun,
  trim: BodyTrim,
): RunAnswer {
  const { run } = state;
  const bodies = new RunBodies(run.settings.redact, trim);
  return {
    ...runJson(state),
    workflowState: RUN_STATES[state.phase],
    workflowRunCreatedAt: run.createdAt,
    workflowRunCompletedAt: state.endedAt ?? undefined,
    workflowRunCallerIp: run.callerIp,
    workflowRunResponse: bodies.ofRun(response ?? undefined),
    steps: groups.map(({ type, steps }) => ({
      type,
      steps: steps.map((step) => recordJson(step, bodies)),
    })),
    invoker: run.invoker && {
      workflowRunId: run.invoker.runId,
      workflowUrl: run.invoker.requested.url,
      workflowRunCreatedAt: run.invoker.createdAt,
    },
    rerunOf: run.rerunOf && runNameJson(run.rerunOf),
    followedBy: state.failure?.followedBy && runNameJson(state.failure.followedBy),
    failureFunction: failure === null ? undefined : failureJson(state, failure, bodies),
    flowControlKey: run.settings.flowControl?.key,
  };
}

function runNameJson({ runId, createdAt }: RunInstance) {
  return { workflowRunId: runId, workflowRunCreatedAt: createdAt };
}

export interface LoggedEvent {
  readonly state: RunState;
  readonly response: Uint8Array | null;
  readonly event: RunEvent;
}

export function runEventJson(
  { state, response, event }: LoggedEvent,
  trim: BodyTrim,
): RunEventAnswer {
  const { run } = state;
  const bodies = new RunBodies(run.settings.redact, trim);
  const { attempt, step } = event;
  const isEnd = event.messageId === undefined && event.state !== RUN_STATES.started;
  return {
    ...runJson(state),
    time: event.at,
    state: event.state,
    messageId: event.messageId,
    workflowCreatedAt: run.createdAt,
    stepInfo: step && recordJson(step, bodies),
    nextDeliveryTime: event.nextDeliveryAt,
    ...(attempt && {
      error: isError(attempt) ? errorText(attempt) : undefined,
      responseStatus: attempt.status,
      responseBody: bodies.answered(event.isCall === true, attempt.body),
      responseBodyTruncated: cutMark(attempt),
      responseHeaders: answerHeaders(attempt),
    }),
    headers: bodies.headers(run.headers),
    workflowRunResponse: isEnd ? bodies.ofRun(response ?? undefined) : undefined,
    invokerWorkflowRunId: run.invoker?.runId,
    invokerWorkflowUrl: run.invoker?.requested.url,
    invokerWorkflowCreatedAt: run.invoker?.createdAt,
    callerIp: run.callerIp,
  };
}

/** The fields that a run and each of its events share. */
function runJson({ accountId, run, failure }: RunState) {
  return {
    workflowRunId: run.runId,
    workflowUrl: run.workflowUrl,
    dlqId: failure === null ? undefined : deadLetterId({ accountId, ...failure.deadLetter }),
    ...labelsJson(run.settings),
  };
}

function recordJson(record: StepRecord | NextRecord, bodies: RunBodies): StepAnswer {
  return {
    ...("stepType" in record ? stepJson(record, bodies) : { stepName: record.stepName }),
    messageId: record.messageId,
    state: record.state,
    retries: record.settings?.retries,
    retryDelay: record.settings?.retryDelay,
    nextDeliveryTime: record.nextDeliveryAt,
    errors: errorsJson(record.errors, bodies, "call" in record && record.call !== undefined),
  };
}

function stepJson(step: StepRecord, bodies: RunBodies) {
  const { invoked } = step;
  return {
    stepId: step.stepId,
    stepName: step.stepName,
    stepType: step.stepType,
    callType: step.callType,
    createdAt: step.createdAt,
    concurrent: step.concurrent,
    out: bodies.ofRun(step.out),
    headers: step.headers && bodies.headers(step.headers),
    ...(step.call && callJson(step.call, bodies)),
    sleepFor: step.sleepForMs,
    sleepUntil: step.sleepUntil,
    waitEventId: step.waitEventId,
    waitTimeout: step.waitTimeout,
    waitTimeoutDeadline: step.waitDeadlineAt,
    waitTimeoutDuration: step.waitMs === undefined ? undefined : `${step.waitMs / 1_000}s`,
    invokedWorkflowRunId: invoked?.runId,
    invokedWorkflowUrl: invoked?.workflowUrl,
    invokedWorkflowCreatedAt: invoked?.createdAt,
    ...(invoked?.given && givenJson(invoked.given, bodies)),
  };
}

function givenJson({ run, payload }: InvokedHistory, bodies: RunBodies) {
  const { body, headers } = bodies.given(run, payload);
  return { invokedWorkflowRunBody: body, invokedWorkflowRunHeaders: headers };
}

function callJson({ url, method, headers, body, answer }: CallRecord, bodies: RunBodies) {
  return {
    callUrl: url,
    callMethod: method,
    callHeaders: bodies.headers(headers),
    callBody: bodies.ofRun(body),
    callResponseStatus: answer?.status,
    callResponseBody: bodies.ofRun(answer?.body),
    callResponseBodyTruncated: cutMark(answer),
    callResponseHeaders: answerHeaders(answer),
  };
}

function failureJson(state: RunState, failure: FailureLog, bodies: RunBodies) {
  const { messageId, url, failed, answer } = failure;
  return {
    messageId,
    url,
    state: FAILURE_STATES[failure.state],
    dlqId: runJson(state).dlqId,
    failHeaders: answerHeaders(failed),
    failStatus: failed?.status,
    failResponse: failed === null ? undefined : bodies.answer(Buffer.from(failText(failed))),
    responseBody: answer === null ? undefined : bodies.answer(answer.body),
    responseBodyTruncated: cutMark(answer),
    responseHeaders: answerHeaders(answer),
    responseStatus: answer?.status,
    maxRetries: failure.retries,
    errors: errorsJson(failure.errors, bodies),
  };
}

/** A failed run as the API shows it: its start, and its failure. */
export function deadRunJson(dead: DeadRun): TypeOf<typeof DEAD_RUN> {
  const { deadLetter, state, payload, message, attempt, reportAnswer } = dead;
  const { run, failure } = state;
  const { header = {}, ...content } = contentJson(run, payload);
  const report = failure?.call && FAILURE_STATES[failure.call.state];
  return {
    ...deathJson(deadLetter, attempt),
    messageId: message.messageId,
    url: run.workflowUrl,
    method: message.method,
    ...content,
    header,
    ...settingsJson(run.settings),
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    workflowRunId: run.runId,
    workflowCreatedAt: run.createdAt,
    workflowUrl: run.workflowUrl,
    failureCallbackInfo: report === undefined ? undefined : reportJson(report, reportAnswer),
    failureFunctionState: report,
  };
}

function reportJson(state: ReportState, answer: AttemptRecord | null) {
  if (answer === null) return { state };
  return {
    state,
    responseStatus: answer.status,
    responseBody: shownBody(answer.body).text,
    responseHeaders: answerHeaders(answer),
  };
}

function errorsJson(
  errors: readonly AttemptRecord[],
  bodies: RunBodies,
  isCall = false,
): TypeOf<typeof ERRORS> | undefined {
  if (errors.length === 0) return undefined;
  return errors.map((attempt) => ({
    error: errorText(attempt),
    ...(isCall ? {} : errorNamed(attempt)),
    body: bodies.answered(isCall, attempt.body),
    bodyTruncated: cutMark(attempt),
    headers: answerHeaders(attempt),
    status: attempt.status,
    time: attempt.endedAt,
  }));
}

/** The name and message in the answer of an endpoint; they are shown where bodies are left out. */
function errorNamed({ body }: AttemptRecord) {
  const { name, message } = answerError(body) ?? {};
  return { name: name?.slice(0, NAME_MAX), message: message?.slice(0, MESSAGE_MAX) };
}

function isError({ status, error }: AttemptRecord): boolean {
  return error !== undefined || status < 200 || status > 299;
}

function errorText({ status, error }: AttemptRecord): string {
  return error ?? `${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();
}

const MESSAGE = new Set(["message"] as const);

/** The error's message, which an SDK answers in a field of its JSON. */
function failText({ body, error }: AttemptRecord): string {
  const { message } = wantedMembers(body, MESSAGE);
  if (typeof message === "string") return message;
  // Any other answer is shown unchanged.
  const text = new TextDecoder().decode(body);
  return text === "" ? (error ?? "") : text;
}

const NAME_MAX = 100;
const MESSAGE_MAX = 1_000;
