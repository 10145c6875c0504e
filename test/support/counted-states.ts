import type { Stats } from "../../src/core/model/account/stats.ts";
import type { LogState } from "../../src/core/model/message/log-entry.ts";

/** The counts that follow from the states in a log. */
export type Counted = Omit<Stats, "durationMs" | "durations">;

export function countedStates(count: (state: LogState) => number): Counted {
  return {
    published: count("CREATED"),
    attempts: count("DELIVERED") + count("ERROR"),
    failedAttempts: count("ERROR"),
    delivered: count("DELIVERED"),
    deadLettered: count("FAILED"),
    canceled: count("CANCELED"),
  };
}
