import type { AttemptRecord } from "../model/message/attempt.ts";
import type { LogState } from "../model/message/log-entry.ts";
import type { Instant } from "../model/time.ts";
import type { MessageHistory } from "../model/workflow/run.ts";
import type { StepState } from "../model/workflow/run-log.ts";

export interface MessageProgress {
  readonly state: StepState;
  readonly isUntried: boolean;
  /** When it will be tried, if not now. */
  readonly nextDeliveryAt?: Instant | undefined;
  readonly errors: readonly AttemptRecord[];
  /** The last response. */
  readonly answer?: AttemptRecord | undefined;
}

export function messageProgress(history: MessageHistory, now: Instant): MessageProgress {
  const { log, message } = history;
  const last = log.at(-1)?.entry;
  const attempts = log.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]));
  const errors = log.flatMap(({ entry, attempt }) =>
    entry.state === "ERROR" && attempt !== null ? [attempt] : [],
  );
  const isUntried = attempts.length === 0;
  const state = (last && STATES_OF_STEPS[last.state]) ?? "STEP_PROGRESS";
  const waitsUntil = isUntried && message.notBefore > now ? message.notBefore : undefined;
  const isPending = state === "STEP_PROGRESS" || state === "STEP_RETRY";
  return {
    state,
    isUntried,
    nextDeliveryAt: isPending ? (last?.nextAt ?? waitsUntil) : undefined,
    errors,
    answer: attempts.at(-1),
  };
}

/** What an entry of the log of a message means for its step. */
export const STATES_OF_STEPS: Partial<Readonly<Record<LogState, StepState>>> = {
  CREATED: "STEP_PROGRESS",
  DELIVERED: "STEP_SUCCESS",
  FAILED: "STEP_FAILED",
  CANCELED: "STEP_CANCELED",
  RETRY: "STEP_RETRY",
};
