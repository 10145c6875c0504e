import type { Instant } from "../core/model/message/message.ts";

/** How long to wait for what is due next, when others may make something due earlier meanwhile. */
export function waitMsUntil(nextAt: Instant | null, now: Instant, pollMs: number): number {
  return nextAt === null ? pollMs : Math.min(pollMs, Math.max(0, nextAt - now));
}
