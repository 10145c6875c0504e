import { Problem } from "../../problem.ts";
import { parseRetryDelayExpression, type RetryDelayExpression } from "./retry-delay-expression.ts";

/** The longest planned wait between two attempts, without jitter. */
export const RETRY_DELAY_MS_MAX = 86_400_000;

const JITTER_MAX = 0.1;
const COMPILED_MAX = 1_000;
/** No plan allows more retries, so no more need to be checked at publish. */
const RETRIES_CHECKED_MAX = 1_000;

interface Compiled {
  readonly evaluate: RetryDelayExpression;
  /** Known to be finite for all smaller counts of retries. */
  finiteBelow: number;
}

/**
 * The wait before the next attempt. `retried` counts the retries made, 0 before the first. Without
 * an expression it is the default backoff, `min(86400, e^(2.5 n))` seconds for the nth retry,
 * lengthened by up to a tenth: `jitter` says how much of that tenth, from 0 to 1.
 */
export function retryDelayMs(
  expression: string | undefined,
  retried: number,
  jitter: number,
): number {
  return expression === undefined ? backoffMs(retried + 1, jitter) : askedMs(expression, retried);
}

/** Refuses an expression that is malformed, or not a finite number for one of its retries. */
export function checkRetryDelay(expression: string, retries: number): void {
  const entry = compiled(expression);
  const last = Math.min(Math.max(retries, 1), RETRIES_CHECKED_MAX);
  for (let retried = entry.finiteBelow; retried < last; retried++) {
    if (!Number.isFinite(entry.evaluate(retried))) {
      throw new Problem("invalid-request", `is not a finite number when retried is ${retried}`);
    }
    entry.finiteBelow = retried + 1;
  }
}

function backoffMs(retry: number, jitter: number): number {
  const bareMs = Math.min(RETRY_DELAY_MS_MAX, Math.exp(2.5 * retry) * 1_000);
  return Math.round(bareMs * (1 + JITTER_MAX * Math.min(Math.max(jitter, 0), 1)));
}

function askedMs(expression: string, retried: number): number {
  const delayMs = compiled(expression).evaluate(retried);
  // checkRetryDelay has refused this for every retry the message was published with.
  if (Number.isNaN(delayMs)) return RETRY_DELAY_MS_MAX;
  return Math.round(Math.min(Math.max(delayMs, 0), RETRY_DELAY_MS_MAX));
}

const compiledByText = new Map<string, Compiled>();

function compiled(text: string): Compiled {
  const known = compiledByText.get(text);
  if (known !== undefined) return known;
  const entry: Compiled = { evaluate: parseRetryDelayExpression(text), finiteBelow: 0 };
  if (compiledByText.size >= COMPILED_MAX) {
    const oldest = compiledByText.keys().next();
    if (!oldest.done) compiledByText.delete(oldest.value);
  }
  compiledByText.set(text, entry);
  return entry;
}
