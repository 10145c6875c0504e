import type { Change } from "../../change.ts";
import {
  isActive,
  type RunKey,
  type RunState,
  type Run,
  type RunRef,
  openKey,
  resultKey,
  type Step,
} from "../../model/workflow/run.ts";
import type { Decision, Rows, Rule, RunNeed } from "../../rule.ts";
import { type Refused, grow, newRunState } from "./run-entries.ts";
import { DEDUPLICATION_MS } from "../message/deduplication.ts";
import { tellInvoker } from "./end-run.ts";
import { redactionFor, redactionWithin } from "../../views/redact.ts";
import { dueNow, addRunMessage, type Submitted } from "./run-message.ts";
import type { Message } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";

export interface InvokerRef {
  readonly ref: RunRef;
  readonly step: Step;
  readonly requested: Message;
  /** The message id of the entry that opens the step. */
  readonly messageId: string;
}

export interface StartedRun extends Submitted {
  readonly kind: "started";
  readonly createdAt: Instant;
}

export interface StartRunAct {
  readonly rule: "start-run";
  readonly at: Instant;
  /** Its createdAt is moved when an earlier run with the same id has the same instant. */
  readonly run: Run;
  readonly payload: Uint8Array;
  /** The message that delivers the payload to the endpoint. */
  readonly requested: Message;
  /** The node that the delivery is leased to if no line holds it back; null to wait. */
  readonly nodeId: string | null;
  /** The step of another run that invokes this one. */
  readonly invoker: InvokerRef | null;
}

/**
 * Starts a run and sends its payload to the endpoint. Nothing is started while a run with the same
 * id has not ended, or by a trigger that repeats the one of that run. A run that is invoked by a step of another one opens that step.
 */
export const startRun: Rule<StartRunAct, StartedRun | Refused> = {
  needs: ({ run, invoker }) => {
    const { accountId, runId } = run;
    const need: RunNeed = { ref: { accountId, runId }, stepKeys: [FIRST_KEY] };
    return { runs: invoker === null ? [need] : [need, needOf(invoker)] };
  },
  decide: (act, rows) => {
    const { invoker } = act;
    if (invoker === null) return start(act, rows, null);
    const parent = rows.runs.find(invoker.ref);
    if (!isActive(parent)) return { changes: [], answer: { kind: "ended" } };
    const { stepId } = invoker.step;
    const firstId =
      rows.runs.firstOf(parent, openKey(stepId)) ?? rows.runs.firstOf(parent, resultKey(stepId));
    if (firstId !== null) return again(firstId, act.run.createdAt);
    return start(act, rows, parent);
  },
  mapParts: (act, map) => ({ ...act, payload: map.body(act.payload) }),
};

function start(
  act: StartRunAct,
  rows: Rows,
  parent: RunState | null,
): Decision<StartedRun | Refused> {
  const latest = rows.runs.latest(act.run);
  if (latest?.phase === "started" || (latest !== null && isRepeated(act, latest))) {
    const firstId = rows.runs.firstOf(latest, FIRST_KEY) ?? act.requested.messageId;
    const changes = parent === null ? [] : refuse(act, parent, latest, rows);
    return { ...again(firstId, latest.createdAt), changes };
  }
  const createdAt = Math.max(act.run.createdAt, (latest?.createdAt ?? 0) + 1);
  const opened = parent === null ? null : open(act, parent, createdAt);
  const { settings } = act.run;
  const redact = redactionWithin(parent?.run.settings.redact, settings.redact);
  const run = {
    ...act.run,
    createdAt,
    invoker: opened?.invoker ?? act.run.invoker,
    settings: { ...settings, redact: redactionFor(redact, act.payload) },
  };
  const { messageId } = act.requested;
  const { state, ordinal, change } = grow(newRunState(run, []), {
    kind: "payload",
    messageId,
    stepKey: FIRST_KEY,
    at: act.at,
    body: act.payload,
  });
  const { changes, ...added } = addRunMessage(state, {
    kind: "step",
    requested: act.requested,
    ordinal,
    nodeId: act.nodeId,
  });
  return {
    changes: [{ type: "run.added", run: state }, change, ...changes, ...(opened?.changes ?? [])],
    answer: { kind: "started", messageId, createdAt, deduplicated: false, ...added },
  };
}

/** The same trigger as that of a run which may have ended before the trigger was repeated. */
function isRepeated({ run, at, invoker }: StartRunAct, latest: RunState): boolean {
  if (run.deduplicationId === undefined || invoker !== null) return false;
  const isSame = run.deduplicationId === latest.run.deduplicationId;
  return isSame && at - latest.createdAt < DEDUPLICATION_MS;
}

/** The step of the parent now waits for the started run. */
function open(act: StartRunAct, parent: RunState, createdAt: number) {
  const { step, requested, messageId } = act.invoker as InvokerRef;
  const { runId, workflowUrl } = act.run;
  const body = new TextEncoder().encode(
    JSON.stringify({ ...step, invoked: { runId, createdAt, workflowUrl } }),
  );
  const entry = { kind: "invoke", messageId, stepKey: openKey(step.stepId), at: act.at } as const;
  const { state, change } = grow(parent, { ...entry, body });
  const changes: Change[] = [{ type: "run.changed", run: state }, change];
  return { changes, invoker: { ...keyOf(parent), step, requested } };
}

/** The run id is in use by another invoker: this step gets an error and does not wait forever. */
function refuse(act: StartRunAct, parent: RunState, taken: RunState, rows: Rows): Change[] {
  const { step, requested, messageId } = act.invoker as InvokerRef;
  const run = { ...taken.run, invoker: { ...keyOf(parent), step, requested } };
  return tellInvoker(run, { phase: "failed", response: null }, messageId, act.at, rows);
}

function keyOf({ accountId, runId, createdAt }: RunState): RunKey {
  return { accountId, runId, createdAt };
}

/** The endpoint has answered with its own settings, and the first step is sent again. */
export interface RestartFirstStepAct {
  readonly rule: "restart-first-step";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly requested: Message;
  readonly nodeId: string | null;
}

/** The endpoint's own settings replace those of the trigger. */
export const restartFirstStep: Rule<RestartFirstStepAct, StartedRun | Refused> = {
  needs: ({ ref }) => ({ runs: [{ ref }] }),
  decide: ({ at, ref, requested, nodeId }, rows) => {
    const known = rows.runs.find(ref);
    if (!isActive(known)) return { changes: [], answer: { kind: "ended" } };
    const state = { ...known, run: { ...known.run, headers: requested.headers } };
    const { messageId } = requested;
    const { changes, leased } = addRunMessage(state, {
      kind: "step",
      requested: dueNow(requested, messageId, at),
      ordinal: 0,
      nodeId,
    });
    const { createdAt } = state;
    return {
      changes: [{ type: "run.restated", run: state }, ...changes],
      answer: { kind: "started", messageId, createdAt, deduplicated: false, leased },
    };
  },
};

function again(messageId: string, createdAt: number): Decision<StartedRun> {
  return {
    changes: [],
    answer: { kind: "started", messageId, createdAt, deduplicated: true, leased: false },
  };
}

function needOf({ ref, step }: InvokerRef): RunNeed {
  return { ref, stepKeys: [openKey(step.stepId), resultKey(step.stepId)] };
}

/** A run has one payload. */
const FIRST_KEY = "payload";
