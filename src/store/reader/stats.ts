import type {
  BacklogPoint,
  HostStats,
  StatPoint,
  StatStep,
} from "../../core/model/account/stats.ts";
import type { Instant } from "../../core/model/time.ts";

export interface StatReader {
  /** The steps from one instant to another, oldest first; those in which nothing happened are absent. */
  series(accountId: string, range: StatRange): Promise<readonly StatPoint[]>;
  /** What the account did with each host since an instant, the busiest first. */
  hosts(accountId: string, fromAt: Instant, count: number): Promise<readonly HostStats[]>;
  /** The backlog at the end of each step, oldest first; steps in which nothing waited are absent. */
  backlog(accountId: string, range: StatRange): Promise<readonly BacklogPoint[]>;
}

export interface StatRange {
  readonly step: StatStep;
  readonly fromAt: Instant;
  /** Not included. */
  readonly toAt: Instant;
  /** Only what was done with this host, which is counted by the hour. */
  readonly host?: string | undefined;
}
