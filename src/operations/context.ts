import type { Destination } from "../core/policy/egress/read-destination.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { Bell } from "../store/bell.ts";
import type { HandOver } from "../store/hand-over.ts";
import type { RunLists } from "../store/reads/run-lists.ts";
import type { Store } from "../store/store.ts";
import type { DailyQuota } from "./account/daily-quota.ts";
import type { KnownQueues } from "./line/known-queues.ts";

/** What every operation works with. */
export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bell: Bell;
  /** Rung when a schedule may be due sooner than it was thought. */
  readonly tickBell: Bell;
  readonly handOver: HandOver;
  readonly runLists: RunLists;
  readonly dailyQuota: DailyQuota;
  readonly knownQueues: KnownQueues;
  /** Reads a URL and judges whether we may send there. */
  readonly readDestination: (url: string) => Destination;
  /** Seals the cursors of lists. */
  readonly cursorSecret: string;
  /** Bytes that one call may bring, or that are stored for it. */
  readonly storedBytesMax: number;
  /** Waits until what is read may take up so many bytes; absent where nothing is answered. */
  readonly reserve?: ((bytes: number) => Promise<void>) | undefined;
  /** Whether less disk is free than is kept in reserve. */
  readonly isDiskLow: () => boolean;
}
