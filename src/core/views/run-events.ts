import type { AttemptRecord } from "../model/message/attempt.ts";
import type { Instant } from "../model/time.ts";
import type { LoggedAttempt, RunHistory, RunState } from "../model/workflow/run.ts";
import {
  type NextRecord,
  RUN_STATES,
  type RunLogState,
  type StepRecord,
  type StepState,
} from "../model/workflow/run-log.ts";
import { stepGroups } from "./run-log.ts";
import { STATES_OF_STEPS } from "./message-progress.ts";

export interface RunEvent {
  readonly at: Instant;
  readonly state: RunLogState | StepState;
  /** Absent for an event of the whole run. */
  readonly messageId?: string | undefined;
  readonly step?: StepRecord | NextRecord | undefined;
  readonly nextDeliveryAt?: Instant | undefined;
  readonly attempt?: AttemptRecord | undefined;
  /** It concerns a call to a third party, not a delivery to the endpoint. */
  readonly isCall?: boolean | undefined;
}

/** The events of a run, in the order of time. */
export function runEvents(state: RunState, history: RunHistory, now: Instant): RunEvent[] {
  const groups = stepGroups(state, history, now);
  const steps = new Map(
    groups.flatMap((group) => group.steps.map((step) => [step.messageId, step])),
  );
  // A resumed run lists messages of the earlier run, which are left out.
  const sentMessages = history.messages.filter(
    ({ message: { run } }) => run?.runId === state.runId && run.createdAt === state.createdAt,
  );
  const sent = sentMessages.flatMap(({ message, log }) =>
    log
      .flatMap((logged, index) => eventOf(logged, log[index - 1], steps.get(message.messageId)))
      .map((event) => (message.kind === "call" ? { ...event, isCall: true } : event)),
  );
  const events: RunEvent[] = [{ at: state.createdAt, state: RUN_STATES.started }, ...sent];
  if (state.endedAt !== null) events.push({ at: state.endedAt, state: RUN_STATES[state.phase] });
  return events.toSorted((one, other) => one.at - other.at);
}

/** An error is shown with the entry that follows it. */
function eventOf(
  { entry, attempt }: LoggedAttempt,
  before: LoggedAttempt | undefined,
  step: StepRecord | NextRecord | undefined,
): RunEvent[] {
  const state = STATES_OF_STEPS[entry.state];
  if (state === undefined) return [];
  const { at, messageId, nextAt: nextDeliveryAt } = entry;
  const lastAttempt = attempt ?? before?.attempt ?? undefined;
  return [{ at, state, messageId, step, nextDeliveryAt, attempt: lastAttempt }];
}
