import { type Attempt, type Outcome, succeeded } from "../model/attempt.ts";
import type { Instant, Message } from "../model/message.ts";
import { DIALECTS } from "../model/dialect.ts";
import { isNotRetryable, retryAfterMs } from "./retry-after.ts";
import { retryDelayMs } from "./retry-delay.ts";

/** What an attempt means for its message, before anybody asks whether it was cancelled. */
export type Verdict =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly readyAt: Instant }
  | {
      readonly kind: "dead";
      /** Why, when the answer itself does not say. */
      readonly reason?: string | undefined;
    };

/** Decides by the answer alone. `jitter` is a fraction from 0 to 1, used by the default backoff. */
export function judge(message: Message, attempt: Attempt, jitter: number): Verdict {
  const { outcome, number, endedAt } = attempt;
  if (succeeded(outcome)) {
    return isForeign(message, outcome)
      ? { kind: "dead", reason: NOT_A_WORKFLOW }
      : { kind: "delivered" };
  }
  if (number > message.retries) return { kind: "dead" };
  if (outcome.kind === "no-answer" && outcome.final) return { kind: "dead" };
  if (outcome.kind === "answer" && isNotRetryable(outcome)) return { kind: "dead" };
  const asked = outcome.kind === "answer" ? retryAfterMs(outcome.headers, endedAt) : null;
  const waitMs = asked ?? retryDelayMs(message.retryDelay, number - 1, jitter);
  return { kind: "retry", readyAt: endedAt + waitMs };
}

/** The first delivery of a run was accepted by something that is no workflow. */
function isForeign({ run, dialect }: Message, outcome: Outcome): boolean {
  if (run?.detectTrigger !== true || outcome.kind !== "answer") return false;
  const wanted = `${DIALECTS[dialect].lowerPrefix}workflow-sdk-version`;
  return !outcome.headers.some(([name]) => name.toLowerCase() === wanted);
}

export const NOT_A_WORKFLOW =
  "detected a non-workflow destination for trigger/invoke. make sure you are sending the request to the correct endpoint";
