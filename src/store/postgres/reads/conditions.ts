import type { Conditions } from "../../reads/conditions.ts";

export const CONDITIONS: Conditions = {
  isWaiting: "phase = 0 AND NOT suspect",
  isWaitingSuspect: "phase = 0 AND suspect",
  isCapped: "phase = 1 AND capped",
};
