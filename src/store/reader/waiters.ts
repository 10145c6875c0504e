import type { Instant } from "../../core/model/time.ts";
import type { Waiter, WaiterKey } from "../../core/model/workflow/waiter.ts";

export interface WaiterReader {
  /** Waiters for one event in the order of their keys, after the given one. */
  forEvent(
    accountId: string,
    eventId: string,
    after: WaiterKey | null,
    count: number,
  ): Promise<readonly Waiter[]>;
  /** Waiters of all accounts whose deadline has passed, the longest due first. */
  due(now: Instant, count: number): Promise<readonly Waiter[]>;
  /** When the next deadline is; null when there is no waiter. */
  nextAt(): Promise<Instant | null>;
}
