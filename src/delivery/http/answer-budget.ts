import type { Clock } from "../../platform/clock.ts";
import { MemoryBudget } from "../../platform/memory-budget.ts";

/** The memory of answers, from their first byte until their outcome is stored. */
export function answerBudget(clock: Clock, bytesMax = BYTES_MAX): MemoryBudget {
  return new MemoryBudget({ clock, ...LIMITS, bytesMax, refusal: () => new Error("no memory") });
}

const BYTES_MAX = 64 * 1024 * 1024;
/** Each answer waits within the time of its delivery. */
const LIMITS = {
  reserveBytes: 16 * 1024 * 1024,
  waitingMax: 4_096,
  waitMsMax: 86_400_000,
  firstMsMax: 15_000,
};
