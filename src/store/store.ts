import type { BacklogRow, Stats } from "../core/model/account/stats.ts";
import type { Act, AnswerOf } from "../core/rules/registry.ts";
import type { DeadLetterKey } from "../core/model/message/dead-letter.ts";
import type { GrantedLease, Message, Lease } from "../core/model/message/message.ts";
import type { Instant } from "../core/model/time.ts";
import type { DueClock } from "../platform/clock.ts";
import type { Bell } from "./bell.ts";
import type { NodeFacts } from "./node-facts.ts";
import type { Reader } from "./reader.ts";
import type { Upcoming } from "./reader/upkeep.ts";

/**
 * The durable storage of the service. Every method that writes is one transaction, or several that
 * each leave the data consistent. Every driver passes test/contract.
 */
export interface Store {
  readonly reader: Reader;

  /** The clock that decides what is due, the same for all nodes that share the store. */
  readonly clock: DueClock;

  /** No other process writes to it while it is open, so what was read stays true until a write. */
  readonly isOnlyWriter: boolean;

  /** The last write was refused because the disk of the store is full. */
  readonly isDiskFull: boolean;

  /** Rings when a write freed a slot that a waiting message can use. */
  readonly slotFreed: Bell;

  /** Rejects when the store does not answer, or takes no writes. */
  requireWritable(): Promise<void>;

  /**
   * Carries out one act and resolves with its answer once that is durable. Acts of concurrent
   * callers are written in groups. Rejects with the Problem "overloaded" when too many wait, unless
   * the act ends work that is under way.
   */
  act<A extends Act>(act: A): Promise<AnswerOf<A>>;

  /** Leases due messages within the limits of their lines, taking lines and accounts in turn. */
  claim(request: ClaimRequest): Promise<Claim>;

  /** What happens next, as it was at most so long ago. A loop may ask for it often. */
  upcoming(ageMsMax: number): Promise<Upcoming>;

  /** Messages that an act has leased to this node, with all that is needed to send them. */
  leased(granted: readonly GrantedLease[]): Promise<readonly LeasedMessage[]>;

  /** Takes the leases of other nodes; see core/rules/message/lease.ts. */
  takeOver(request: TakeOverRequest): Promise<TakeOver>;

  /** Reports that this node lives and what it does, and returns which other nodes live. */
  beat(nodeId: string, isPaused?: boolean, facts?: NodeFacts): Promise<Beat>;

  /** Removes the row of a node that stops, unless it leaves leases for others to take over. */
  leave(nodeId: string): Promise<void>;

  /**
   * Writes what this process has counted: the minutes of accounts that were counted first, at most
   * so many, and what waits. True when there are more minutes.
   */
  recordStats(minutesMax: number, backlog?: readonly BacklogRow[]): Promise<boolean>;

  /** What this process has counted since its start, of all accounts. */
  totals(): Promise<Stats>;

  /** Removes old rows that belong to no single account, a page at a time. */
  sweep(request: SweepRequest): Promise<Swept>;

  /** Removes what is too old or too much of one account, a page at a time. */
  sweepAccount(request: AccountSweepRequest): Promise<AccountSwept>;

  /** Removes a page of what an account has that is being deleted, and at last the account. */
  removeAccount(request: AccountRemoval): Promise<AccountRemoved>;

  close(): Promise<void>;
}

export interface ClaimRequest {
  readonly nodeId: string;
  /** Used by drivers and tests without a clock of their own. */
  readonly now: Instant;
  /** How far due time is ahead of `now`; see DueClock. */
  readonly aheadMs: number;
  /** Something is probably due, so that a poll beforehand would be wasted. */
  readonly isLikely?: boolean;
  /** Free slots of this node. */
  readonly slots: number;
  /** How many of the slots retries may take. */
  readonly retrySlots: number;
  /** Bytes of bodies that may be loaded into memory; one message of any size is allowed. */
  readonly bytesMax: number;
  /** Hosts that have no free slot on this node. */
  readonly fullHosts: readonly string[];
  /** Free slots of a host that is not named in `hostSlots`; no limit when absent. */
  readonly slotsPerHost?: number;
  /** Free slots of hosts that have attempts under way, or a limit of their own. */
  readonly hostSlots?: ReadonlyMap<string, number>;
  /**
   * How many slots of a host each account may have; no limit for hosts that are not named. A share
   * that has not changed since the last request is the same object.
   */
  readonly hostShares?: ReadonlyMap<string, HostShare>;
}

export interface HostShare {
  readonly accounts: Readonly<Record<string, number>>;
  /** For each account that is not named. */
  readonly others: number;
}

export interface Claim {
  readonly leased: readonly LeasedMessage[];
  /** In due time: the next instant at which it could start a message if it had slots, or null. */
  readonly nextAt: Instant | null;
  /** Lines that are no longer due: if others still are, another claim at once is worth it. */
  readonly linesPostponed: number;
  /** Accounts that had messages due when the claim began; null when it did not see them all. */
  readonly accountsDue: readonly string[] | null;
}

/** A message, its lease, and all that is needed to send it. */
export interface LeasedMessage {
  readonly lease: Lease;
  readonly message: Message;
  readonly body: Uint8Array;
  readonly host: string;
  /** Earlier attempts. */
  readonly attempts: number;
}

export interface TakeOverRequest {
  readonly nodeId: string;
  readonly now: Instant;
  readonly aheadMs: number;
  /** The dead nodes, or "others" when this node is known to be the only one. */
  readonly from: readonly DeadNode[] | "others";
}

export interface DeadNode {
  readonly nodeId: string;
  /** As last seen. A node that has beaten since is not dead. */
  readonly beats: number;
}

export interface SeenNode extends DeadNode {
  /** Empty when the node has leases but no row. */
  readonly name: string;
}

export interface TakeOver {
  readonly waiting: number;
  readonly canceled: number;
  /** Leased to this node now, to be settled as dead. */
  readonly poison: readonly LeasedMessage[];
}

export interface Beat {
  /** The store's own clock. */
  readonly now: Instant;
  /** The latest due time at which another node has renewed; null when there is none. */
  readonly latestAt: Instant | null;
  /** Every known node, including this one. */
  readonly nodes: readonly SeenNode[];
  /** False when other nodes have declared this one dead and taken its leases. */
  readonly known: boolean;
  /** The oldest program that may use the current schema. */
  readonly oldestProgram: number;
}

export interface SweepRequest {
  readonly now: Instant;
  /** Counts of earlier days are removed. */
  readonly countsBefore: Instant;
  /** Flow-control keys not used since are removed, unless they are paused or pinned. */
  readonly keysBefore: Instant;
  /** Rows of each kind that one call reads. */
  readonly pageMax: number;
}

export interface AccountSweepRequest extends Pick<SweepRequest, "now" | "pageMax"> {
  readonly accountId: string;
  /** An ended message or run goes when it was created and last changed before this instant. */
  readonly endedBefore: Instant;
  readonly deadLettersBefore: Instant;
  /** Dead letters older than this one are too many; null when none is. */
  readonly surplusBefore: DeadLetterKey | null;
  /** The message at which the previous page ended; empty for the first. */
  readonly after: string;
}

export interface AccountSwept {
  readonly removed: number;
  /** Dead letters that were removed because there were too many. */
  readonly dropped: number;
  /** Old messages of the page that stay: they are live, dead letters, or ended lately. */
  readonly kept: number;
  /** Where the next page starts; null when there is nothing more. */
  readonly after: string | null;
}

export interface AccountRemoval extends Pick<SweepRequest, "pageMax"> {
  readonly accountId: string;
  /** Nothing of the account can be under way any more: its own row may go too. */
  readonly isLast: boolean;
}

export interface AccountRemoved {
  readonly removed: number;
  /** Whether there is more to remove, only the account itself is left, or it is gone. */
  readonly left: "more" | "account" | "nothing";
}

export interface Swept {
  readonly removed: number;
  /** There are more rows: call again soon. */
  readonly more: boolean;
}
