import {
  type Attempt,
  brokeOff,
  cutReason,
  type Outcome,
  succeeded,
} from "../../model/message/attempt.ts";
import type { Message } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import { withEitherPrefix } from "../../model/message/dialect.ts";
import { isNotRetryable, retryAfterMs } from "../../policy/retry/retry-after.ts";
import { retryDelayMs } from "../../policy/retry/retry-delay.ts";

/** The meaning of an attempt for its message, before cancellation is considered. */
export type Verdict =
  | {
      readonly kind: "delivered";
      /** For the first delivery of a run: why it fails if its endpoint submitted nothing. */
      readonly idleReason?: string | undefined;
    }
  | { readonly kind: "retry"; readonly readyAt: Instant }
  | {
      readonly kind: "dead";
      /** Why, when the response itself does not say. */
      readonly reason?: string | undefined;
      /** Holds only while the run has no entry besides its payload. */
      readonly ifIdle?: true | undefined;
    };

/** Only its kind, its run and these settings decide about its attempts. */
export interface JudgedMessage extends Partial<Omit<Message, "kind" | "settings">> {
  readonly kind: Message["kind"];
  readonly settings: Pick<Message["settings"], "retries" | "retryDelay">;
}

/** Decides by the response alone. `jitter` is a fraction from 0 to 1 for the default backoff. */
export function judge(message: JudgedMessage, attempt: Attempt, jitter: number): Verdict {
  const { retries, retryDelay } = message.settings;
  const { outcome, number, endedAt } = attempt;
  const reason = incompleteReason(message, outcome);
  if (succeeded(outcome) && reason === undefined) {
    const idleReason = idleReasonOf(message, outcome);
    return idleReason === null ? { kind: "delivered" } : { kind: "delivered", idleReason };
  }
  // A good answer is here only where a call's was cut, and another attempt would get the same.
  if (number > retries || succeeded(outcome)) {
    return reason === undefined ? { kind: "dead" } : { kind: "dead", reason };
  }
  if (outcome.kind === "no-answer" && outcome.final) return { kind: "dead" };
  if (outcome.kind === "answer" && isNotRetryable(outcome)) return { kind: "dead" };
  const asked = outcome.kind === "answer" ? retryAfterMs(outcome.headers, endedAt) : null;
  const waitMs = asked ?? retryDelayMs(retryDelay, number - 1, jitter);
  return { kind: "retry", readyAt: endedAt + waitMs };
}

/** The answer broke off, or it is the result of a call and larger than allowed. */
export function incompleteReason(
  { kind }: Pick<Message, "kind">,
  outcome: Outcome,
): string | undefined {
  if (outcome.kind !== "answer" || outcome.cut === undefined) return undefined;
  return kind === "call" || brokeOff(outcome) ? cutReason(outcome.cut, outcome.body) : undefined;
}

/** Why a run fails if nothing followed its accepted first delivery; null for other ones. */
function idleReasonOf({ run }: Pick<Message, "run">, outcome: Outcome): string | null {
  if (run?.detectTrigger !== true || outcome.kind !== "answer") return null;
  const names = new Set(outcome.headers.map(([name]) => name.toLowerCase()));
  if (!SDK_VERSION_NAMES.some((name) => names.has(name))) return NOT_A_WORKFLOW;
  return SDK_NAMES.some((name) => names.has(name)) ? NOTHING_SUBMITTED : SDK_TOO_OLD;
}

const SDK_VERSION_NAMES = withEitherPrefix("workflow-sdk-version");
const SDK_NAMES = withEitherPrefix("workflow-sdk");

/** Clients compare these two texts. */
export const NOT_A_WORKFLOW =
  "detected a non-workflow destination for trigger/invoke. make sure you are sending the request to the correct endpoint";
export const SDK_TOO_OLD =
  "trigger rest api is only usable with sdk versions after v1.0.0 major version";
export const NOTHING_SUBMITTED =
  "the endpoint accepted the run but submitted nothing to this server: no step, wait, call or end. check that the server URL and the token of its SDK are those of this server";
