import type { AttemptRecord } from "../model/message/attempt.ts";
import type { Instant } from "../model/time.ts";
import type {
  CallType,
  RunEntry,
  Run,
  RunState,
  MessageHistory,
  RunHistory,
} from "../model/workflow/run.ts";
import type { CallRecord, InvokedRun, StepRecord, StepState } from "../model/workflow/run-log.ts";
import { messageProgress } from "./message-progress.ts";
import type { StepHistory } from "./step-histories.ts";
import { parseDuration, parseFraction } from "../policy/retry/duration.ts";

/** The input of a run's log: what its messages did, by their ids, as seen at an instant. */
export interface LoggedRun {
  readonly state: RunState;
  readonly messages: ReadonlyMap<string, MessageHistory>;
  readonly invoked: RunHistory["invoked"];
  readonly now: Instant;
}

export function stepRecord(logged: LoggedRun, step: StepHistory): StepRecord {
  const { fields, first, open, result } = step;
  const tried = [step.plan, open, step.answer].flatMap((entry) => progressOf(logged, entry));
  const sleeping = sleepingUntil(logged, step);
  const deadlineAt = numberOf(fields["deadlineAt"]);
  const state = stateOf(logged, step);
  const isPending = state === "STEP_PROGRESS" || state === "STEP_RETRY";
  const sent = logged.messages.get((step.answer ?? open ?? first).messageId)?.message;
  return {
    stepId: step.stepId,
    stepName: textOf(fields["stepName"]) ?? "",
    stepType: textOf(fields["stepType"]) ?? "",
    callType: callTypeOf(step),
    messageId: (result ?? first).messageId,
    state,
    createdAt: first.at,
    concurrent: numberOf(fields["concurrent"]) ?? 1,
    out: result === undefined ? undefined : outOf(fields),
    settings: sent?.settings,
    nextDeliveryAt: isPending ? (tried.at(-1)?.nextDeliveryAt ?? sleeping) : undefined,
    errors: tried.flatMap(({ errors }) => errors),
    call: callOf(logged, open),
    sleepForMs: sleepMs(fields["sleepFor"]),
    sleepUntil: wholeNumber(fields["sleepUntil"]),
    waitEventId: textOf(fields["waitEventId"]),
    waitTimeout: isWait(fields) && result ? fields["waitTimeout"] === true : undefined,
    waitDeadlineAt: deadlineAt,
    waitMs: deadlineAt && open && deadlineAt - open.at,
    invoked: invokedOf(logged, fields["invoked"] as InvokedRun | undefined),
  };
}

function stateOf(logged: LoggedRun, step: StepHistory): StepState {
  const { state } = logged;
  const { result, open, answer, plan } = step;
  if (result !== undefined) return closedState(logged, step, result);
  const failedId = state.failure?.messageId;
  if ([plan, open, answer].some((entry) => entry !== undefined && entry.messageId === failedId)) {
    return "STEP_FAILED";
  }
  // An invoked run continues without its invoker, and its result is stored.
  const isOver =
    state.phase !== "started" && !(open?.kind === "invoke" && state.phase === "failed");
  if (isOver) return "STEP_CANCELED";
  if (open?.kind === "wait" || open?.kind === "invoke") return "STEP_PROGRESS";
  const [last] = progressOf(logged, answer ?? open ?? plan);
  // A delivered or failed delivery is not over before the endpoint submits the result.
  return last?.state === "STEP_RETRY" ? "STEP_RETRY" : "STEP_PROGRESS";
}

/** A sleep is recorded when it begins; it ends when the endpoint is called again. */
function closedState(logged: LoggedRun, step: StepHistory, result: RunEntry): StepState {
  if (sleepingUntil(logged, step) === undefined) return "STEP_SUCCESS";
  const [progress] = progressOf(logged, result);
  return progress?.state === "STEP_CANCELED" || logged.state.phase !== "started"
    ? "STEP_CANCELED"
    : "STEP_PROGRESS";
}

/** Until when a step sleeps, if it does or did when its run ended. */
function sleepingUntil(
  logged: LoggedRun,
  { fields, plan, result }: StepHistory,
): Instant | undefined {
  if (plan !== undefined || result === undefined) return undefined;
  if (fields["stepType"] !== "SleepFor" && fields["stepType"] !== "SleepUntil") return undefined;
  const history = logged.messages.get(result.messageId);
  if (history === undefined) return undefined;
  const { isUntried } = messageProgress(history, logged.now);
  const { notBefore } = history.message;
  return isUntried && notBefore > (logged.state.endedAt ?? logged.now) ? notBefore : undefined;
}

function callTypeOf({ open, answer, result }: StepHistory): CallType {
  if (result !== undefined || open?.kind !== "call") return "step";
  return answer === undefined ? "toCallback" : "fromCallback";
}

function callOf(logged: LoggedRun, open: RunEntry | undefined): CallRecord | undefined {
  const history = open?.kind === "call" ? logged.messages.get(open.messageId) : undefined;
  if (history === undefined) return undefined;
  const { url, method, headers } = history.message;
  const answer: AttemptRecord | undefined = messageProgress(history, logged.now).answer;
  return { url, method, headers, body: history.body, answer };
}

function invokedOf({ invoked }: LoggedRun, named: InvokedRun | undefined): InvokedRun | undefined {
  const isNamed = ({ runId, createdAt }: Run): boolean =>
    runId === named?.runId && createdAt === named.createdAt;
  return named && { ...named, given: invoked.find(({ run }) => isNamed(run)) };
}

/** An event is sent in base64, whatever it holds. */
function outOf(fields: StepHistory["fields"]): string | undefined {
  const out = textOf(fields["out"]);
  if (out === undefined || !isWait(fields)) return out;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(out, "base64"));
  } catch {
    return out;
  }
}

function isWait(fields: StepHistory["fields"]): boolean {
  return fields["stepType"] === "Wait" || fields["stepType"] === "WaitForWebhook";
}

function progressOf({ messages, now }: LoggedRun, entry: RunEntry | undefined) {
  const history = entry === undefined ? undefined : messages.get(entry.messageId);
  return history === undefined ? [] : [messageProgress(history, now)];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Milliseconds of seconds or of a text with units; undefined when it cannot be read. */
export function sleepMs(value: unknown): number | undefined {
  if (typeof value === "number") return wholeNumber(value * 1_000);
  if (typeof value !== "string") return undefined;
  try {
    return parseFraction(value) ?? parseDuration(value);
  } catch {
    return undefined;
  }
}

/** Clients in typed languages cannot read a list in which this is a fraction or a text. */
export function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof number !== "number") return undefined;
  const whole = Math.round(number);
  return Number.isSafeInteger(whole) ? whole : undefined;
}
