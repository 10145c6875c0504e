import { setTimeout as wait } from "node:timers/promises";

/** Asks again and again, after longer and longer pauses, until there is an answer. */
export async function eventually<Value>(
  ask: () => Value | null | Promise<Value | null>,
  what: string,
): Promise<Value> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    const value = await ask();
    if (value !== null) return value;
    if (performance.now() > giveUpAt) throw new Error(`did not come to be: ${what}`);
    await wait(pauseMs);
  }
}

/** Resolves once it is so. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await eventually(async () => (await isSo()) || null, what);
}

const PATIENCE_MS = 40_000;
/** To ask takes processor time that the service may need to come to an answer. */
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 80;
