import { answerHeadersOf, type AttemptRecord } from "../model/message/attempt.ts";
import type { Instant } from "../model/time.ts";
import type { RunEntry, RunState, MessageHistory, RunHistory } from "../model/workflow/run.ts";
import type {
  FailureLog,
  NextRecord,
  RunWait,
  StepGroup,
  StepRecord,
} from "../model/workflow/run-log.ts";
import { messageProgress } from "./message-progress.ts";
import { type StepHistories, stepHistories } from "./step-histories.ts";
import { type LoggedRun, stepRecord } from "./step-record.ts";

/** First its payload, then its steps, and last a delivery that asks for a step not known yet. */
export function stepGroups(state: RunState, history: RunHistory, now: Instant): StepGroup[] {
  const logged: LoggedRun = { state, now, messages: byId(history), invoked: history.invoked };
  const steps = stepHistories(history);
  const known = steps.map((group) => ({
    type: group.type,
    steps: group.steps.map((step) => stepRecord(logged, step)),
  }));
  const isOpen = known.some((group) => group.steps.some((step) => step.state !== "STEP_SUCCESS"));
  const first = history.entries.flatMap((entry) =>
    entry.kind === "payload" ? [payloadRecord(logged, entry)] : [],
  );
  const next = nextRecord(logged, history, steps, isOpen);
  return [
    ...first.map((record) => ({ type: "sequential" as const, steps: [record] })),
    ...known,
    ...next.map((record) => ({ type: "next" as const, steps: [record] })),
  ];
}

const WAITS: Readonly<Record<string, RunWait>> = {
  SleepFor: "sleep",
  SleepUntil: "sleep",
  Wait: "event",
  WaitForWebhook: "event",
};

/** What a run waits for whose every open step waits; an event goes before a sleep. */
export function runWait(groups: readonly StepGroup[]): RunWait | null {
  const open = groups.flatMap(({ steps }) =>
    steps.filter(({ state }) => state === "STEP_PROGRESS" || state === "STEP_RETRY"),
  );
  const waits = open.map((step) =>
    step.state === "STEP_PROGRESS" && "stepType" in step ? (WAITS[step.stepType] ?? null) : null,
  );
  if (waits.length === 0 || waits.includes(null)) return null;
  return waits.includes("event") ? "event" : "sleep";
}

/** The call that reports the failure of a run; null when there is none. */
export function failureLog({ failure, run }: RunState, history: RunHistory): FailureLog | null {
  const call = failure?.call;
  if (failure === null || call === undefined || call.state === "absent") return null;
  const messages = byId(history);
  const report = messages.get(call.messageId);
  const progress = report && messageProgress(report, 0);
  const failed = messages.get(failure.messageId);
  return {
    messageId: call.messageId,
    state: call.state,
    url: report?.message.url ?? run.settings.failureCallback?.url ?? "",
    retries: report?.message.settings.retries,
    failed: (failed && messageProgress(failed, 0).errors.at(-1)) ?? null,
    answer: progress?.answer ?? null,
    errors: progress?.errors ?? [],
  };
}

function payloadRecord({ state, messages }: LoggedRun, entry: RunEntry): StepRecord {
  const { run } = state;
  const message = messages.get(entry.messageId)?.message;
  return {
    stepName: "init",
    stepType: "Initial",
    callType: "step",
    messageId: entry.messageId,
    state: "STEP_SUCCESS",
    createdAt: entry.at,
    concurrent: 1,
    out: new TextDecoder().decode(entry.body),
    headers: run.headers,
    settings: { ...run.settings, ...message?.settings },
    errors: [],
  };
}

/** The delivery in progress after all known steps have ended, or the one the run failed with. */
function nextRecord(
  logged: LoggedRun,
  history: RunHistory,
  groups: readonly StepHistories[],
  isOpen: boolean,
): NextRecord[] {
  const { state } = logged;
  if (state.phase === "success") return [];
  if (state.failure !== null) {
    const { messageId } = state.failure;
    return isOfStep(groups, messageId) ? [] : recordOf(logged, logged.messages.get(messageId));
  }
  if (isOpen) return [];
  const last = history.entries.findLast(({ kind }) => kind === "payload" || kind === "result");
  return recordOf(logged, last && sentFor(history, last));
}

function recordOf({ state, now }: LoggedRun, history: MessageHistory | undefined): NextRecord[] {
  if (history === undefined) return [];
  const { messageId, settings } = history.message;
  const progress = messageProgress(history, now);
  if (progress.state === "STEP_SUCCESS") return [];
  const { errors } = progress;
  const stepName = failedStepName(errors.at(-1));
  const record = { messageId, stepName, settings, errors };
  if (state.phase === "canceled") return [{ ...record, state: "STEP_CANCELED" }];
  return [{ ...record, state: progress.state, nextDeliveryAt: progress.nextDeliveryAt }];
}

/** A step that fails in the delivery that asks for it is named in a header of the answer. */
function failedStepName(error: AttemptRecord | undefined): string | undefined {
  if (error === undefined) return undefined;
  const header = answerHeadersOf(error).find(([name]) => STEP_NAME_HEADER.test(name));
  if (header === undefined) return undefined;
  try {
    return decodeURIComponent(header[1]);
  } catch {
    return header[1];
  }
}

const STEP_NAME_HEADER = /^(?:svc|upstash)-error-step-name$/i;

/** A payload is sent again when its endpoint was asked for its settings. */
function sentFor({ messages }: RunHistory, entry: RunEntry): MessageHistory | undefined {
  return messages.findLast(
    ({ message }) => message.kind === "step" && message.run?.ordinal === entry.ordinal,
  );
}

function isOfStep(groups: readonly StepHistories[], messageId: string): boolean {
  return groups.some(({ steps }) =>
    steps.some(({ plan, open, answer }) =>
      [plan, open, answer].some((entry) => entry?.messageId === messageId),
    ),
  );
}

function byId({ messages }: RunHistory): ReadonlyMap<string, MessageHistory> {
  return new Map(messages.map((history) => [history.message.messageId, history]));
}
