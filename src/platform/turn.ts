import type { Clock } from "./clock.ts";

/** Resolves after the callbacks that are already queued in the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Resolves in a turn of the event loop in which no other caller of it continues, in the order of the
 * calls. Long work waits here between its parts: so the parts of many requests make many short turns.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waitingForTurns.push(resolve) === 1) setImmediate(passTurn);
  });
}

const waitingForTurns: (() => void)[] = [];

function passTurn(): void {
  waitingForTurns.shift()!();
  if (waitingForTurns.length > 0) setImmediate(passTurn);
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
