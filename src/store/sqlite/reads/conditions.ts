import type { Conditions } from "../../reads/conditions.ts";

/** SQLite takes a partial index where its condition stands in the statement as it is written there. */
export const CONDITIONS: Conditions = {
  isWaiting: "phase = 0 AND suspect = 0",
  isWaitingSuspect: "phase = 0 AND suspect = 1",
  isCapped: "phase = 1 AND capped = 1",
};
