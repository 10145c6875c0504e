import type { Account } from "../core/model/account/account.ts";
import type { DialectChoice } from "../core/model/message/message.ts";
import { Problem } from "../core/problem.ts";
import type { ReadDestination } from "../core/policy/egress/read-destination.ts";
import type { Clock } from "../platform/clock.ts";
import type { FairTurns } from "../platform/fair-turns.ts";
import type { Ids } from "../platform/ids.ts";
import type { DerivedKeys } from "../platform/secret-box.ts";
import type { Bell } from "../store/bell.ts";
import type { HandOver } from "../store/hand-over.ts";
import type { RunLists } from "../store/reads/run-lists.ts";
import type { SeenNode, Store } from "../store/store.ts";
import type { DailyQuota } from "./account/daily-quota.ts";
import type { FreshStats } from "./account/stats.ts";
import type { NodeLoad } from "../store/node-facts.ts";
import type { KnownQueues } from "./line/known-queues.ts";

/** The dependencies of all operations. */
export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  /** By which requests and answers are timed, also while that of dev is ahead. */
  readonly machineClock: Clock;
  readonly ids: Ids;
  readonly bell: Bell;
  /** Rings when a schedule may be due sooner than planned. */
  readonly tickBell: Bell;
  readonly handOver: HandOver;
  readonly runLists: RunLists;
  readonly turns: FairTurns;
  readonly dailyQuota: DailyQuota;
  readonly knownQueues: KnownQueues;
  readonly freshStats: FreshStats;
  readonly readDestination: ReadDestination;
  /** How messages are delivered that name no dialect, unless their account says otherwise. */
  readonly dialect: DialectChoice;
  /** The first of them seals cursors, and each of them opens. */
  readonly cursorSecrets: () => DerivedKeys;
  /** Bytes that one request may carry or have stored. */
  readonly storedBytesMax: number;
  /** Waits until a read may use this many bytes of memory; absent where no response is written. */
  readonly reserve?: ((bytes: number) => Promise<void>) | undefined;
  readonly nodeLoad: () => NodeLoad;
  /** Whether less disk is free than `--min-free-disk`. */
  readonly isDiskLow: () => boolean;
  /** Whether the store lacks the synchronous standby that the operator demands. */
  readonly isStandbyMissing: () => boolean;
  /** The data moves to another store: for a moment nothing may be changed. */
  readonly isStandingStill: () => boolean;
  readonly nodeName: string;
  readonly lostNodes: () => readonly SeenNode[];
}

/** Null when a request of the account, or a part of it, may begin at once; rejects after too long a wait. */
export function takeTurn(
  { turns }: Pick<Context, "turns">,
  accountId: string,
  weight?: number,
  ticket?: number,
): Promise<void> | null {
  const turn = turns.enter(accountId, weight, true, ticket);
  return turn === null ? null : orOverloaded(turn);
}

async function orOverloaded(turn: Promise<boolean>): Promise<void> {
  if (await turn) return;
  throw new Problem("overloaded", "too many requests of this account wait; try again", 1);
}

/** How messages of the account are delivered that name no dialect. */
export function dialectOf({ dialect }: Pick<Context, "dialect">, account: Account): DialectChoice {
  return account.dialect ?? dialect;
}
