import type { Clock } from "./clock.ts";

/** Resolves after the callbacks that are already queued in the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Resolves right after a turn of the event loop in which `count` did not grow and that had little else to do, so
 * that nothing has waited long since the loop last looked for it. After many busy turns it resolves all the same.
 */
export async function quietTurn(clock: Clock, count: () => number): Promise<void> {
  await nextTurn();
  for (let turns = 0; turns < TURNS_MAX; turns++) {
    const startedAt = clock.monotonic();
    const before = count();
    await nextTurn();
    if (count() === before && clock.monotonic() - startedAt < QUIET_MS) return;
  }
}

const TURNS_MAX = 1_000;
const QUIET_MS = 0.2;
