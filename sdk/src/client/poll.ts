import { type Duration, millisecondsOf } from "../duration.ts";
import { TimeoutError } from "../errors.ts";
import { requireKnown } from "../option-names.ts";
import { now, pause } from "../runtime.ts";

/** How long to wait for the end. */
export interface WaitForEnd {
  /** A minute if absent. */
  readonly timeout?: Duration | undefined;
}

/** Calls repeatedly, less often with time, until the answer is defined. */
export async function poll<Answer>(
  what: string,
  options: WaitForEnd,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer> {
  requireKnown("wait", options, { timeout: true });
  const { timeout = 60 } = options;
  const giveUpAt = now() + millisecondsOf(timeout);
  for (let pauseMs = 50; ; pauseMs = Math.min(2_000, pauseMs * 1.5)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (now() + pauseMs > giveUpAt) {
      const shown = typeof timeout === "number" ? `${timeout} s` : timeout;
      throw new TimeoutError(`${what} has not ended within ${shown}`);
    }
    await pause(pauseMs);
  }
}
