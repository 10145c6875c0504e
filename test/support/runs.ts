import type { AppendItem } from "../../src/core/rules/workflow/append.ts";
import type { EndRunAct } from "../../src/core/rules/workflow/end-run.ts";
import type { NotifyAct, WaitAct } from "../../src/core/rules/workflow/waits.ts";
import type { StartRunAct } from "../../src/core/rules/workflow/start-run.ts";
import {
  type RunRef,
  type Run,
  type RunKey,
  type RunState,
  planKey,
  resultKey,
  type Step,
} from "../../src/core/model/workflow/run.ts";
import { nested } from "../../src/core/model/message/settings.ts";
import type { Settings } from "../../src/core/model/message/message.ts";
import { aCallback, aMessage, bytes, START_AT } from "./messages.ts";

const URL = "https://example.test/workflow";

/** Settings lie beside the rest. */
export interface RunFields extends Partial<Run & Settings> {}

export function aRun({ settings, ...fields }: RunFields = {}): Run {
  return nested<Run>({
    accountId: "account",
    runId: "run",
    createdAt: START_AT,
    workflowUrl: URL,
    dialect: "svc",
    headers: [["X-Own", "yes"]],
    timeoutMs: 30_000,
    retries: 3,
    callerIp: "192.0.2.1",
    features: { lazyFetch: false, detectTrigger: true, inheritsSettings: true },
    failureCallback: aCallback({ url: URL }),
    ...settings,
    ...fields,
  });
}

/** A start whose first delivery waits in its line. */
export function aStart(fields: RunFields = {}, more: Partial<StartRunAct> = {}): StartRunAct {
  const run = aRun(fields);
  const { accountId, createdAt: at, workflowUrl: url } = run;
  const requested = aMessage({
    accountId,
    messageId: `${run.runId}-0`,
    kind: "step",
    url,
    createdAt: at,
  });
  const payload = bytes("payload");
  return { rule: "start-run", at, run, requested, payload, nodeId: null, invoker: null, ...more };
}

export function aStep(stepId: number): Step {
  return { stepId, stepName: `step ${stepId}`, stepType: "Run", concurrent: 1 };
}

/** A result that an endpoint submits, or with `plan` the plan of a step. */
export function anItem(
  messageId: string,
  stepId: number,
  { kind = "result", ...more }: Partial<AppendItem> = {},
): AppendItem {
  const stepKey = kind === "plan" ? planKey(stepId) : resultKey(stepId);
  const step = kind === "plan" ? { ...aStep(0), targetStep: stepId } : aStep(stepId);
  return {
    kind,
    stepKey,
    body: bytes(JSON.stringify(step)),
    callBody: new Uint8Array(),
    requested: aMessage({ messageId, kind: "step", url: URL }),
    nodeId: null,
    ...more,
  };
}

export const refOf = (runId = "run", accountId = "account"): RunRef => ({ accountId, runId });

export function aWait(
  key: RunKey & { readonly eventId: string; readonly stepId: number },
  at: number,
  timeoutMs = 1_000,
  stepType = "Wait",
): WaitAct {
  const { accountId, runId, eventId, stepId } = key;
  const requested = aMessage({ messageId: `${runId}-told-${stepId}`, kind: "step", url: URL });
  return {
    rule: "wait",
    at,
    ref: { accountId, runId },
    waiter: {
      accountId,
      runId,
      eventId,
      stepId,
      messageId: `${runId}-wait-${stepId}`,
      deadlineAt: at + timeoutMs,
      step: { ...aStep(stepId), stepType },
      notified: requested,
      timedOut: requested,
      shown: { url: URL, headers: [] },
    },
    resultId: requested.messageId,
    nodeId: null,
  };
}

export function aNotify(at: number, eventId: string, more: Partial<NotifyAct> = {}): NotifyAct {
  return {
    rule: "notify",
    at,
    eventId,
    body: bytes("event"),
    refs: [refOf()],
    messageIds: ["told-1", "told-2"],
    before: null,
    isKept: true,
    isHook: false,
    ...more,
  };
}

export function anEnd(
  at: number,
  phase: "success" | "canceled",
  more: Partial<EndRunAct> = {},
): EndRunAct {
  return {
    rule: "end-run",
    at,
    ref: refOf(),
    phase,
    response: bytes('"response"'),
    invoker: null,
    invokerMessageId: "told-parent",
    ...more,
  };
}

/** A run that has got its payload and one more entry. */
export function aRunState(fields: RunFields = {}, more: Partial<RunState> = {}): RunState {
  const run = aRun(fields);
  const { accountId, runId, createdAt } = run;
  return {
    accountId,
    runId,
    createdAt,
    phase: "started",
    nextOrdinal: 2,
    bytes: 100,
    storedEvents: 0,
    endedAt: null,
    failure: null,
    run,
    ...more,
  };
}
