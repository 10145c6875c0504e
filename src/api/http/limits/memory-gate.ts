import { Problem } from "../../../core/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { MemoryBudget } from "../../../platform/memory-budget.ts";

/** The memory of request bodies, from their first byte until they are stored. */
export function bodyBudget(clock: Clock): MemoryBudget {
  return new MemoryBudget({ clock, ...BODY_LIMITS, refusal: busy });
}

function busy(): Problem {
  return new Problem("overloaded", "too many bodies are being received; try again", 5);
}

/** Beyond the budget one body at a time may use its full allowed size. */
const BODY_LIMITS = {
  bytesMax: 64 * 1024 * 1024,
  reserveBytes: 16 * 1024 * 1024,
  waitingMax: 256,
  waitMsMax: 10_000,
  firstMsMax: 15_000,
};
