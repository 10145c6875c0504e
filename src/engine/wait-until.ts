import type { Instant } from "../core/model/time.ts";

/** How long to wait for the next due work, when earlier work may be added meanwhile. */
export function waitMsUntil(nextAt: Instant | null, now: Instant, pollMs: number): number {
  return nextAt === null ? pollMs : Math.min(pollMs, Math.max(0, nextAt - now));
}
