import type { Act, AnswerOf } from "../core/act.ts";
import type { DeadLetterKey } from "../core/model/message/dead-letter.ts";
import type { Instant, Message } from "../core/model/message/message.ts";
import type { Lease } from "../core/model/message/message-state.ts";
import type { DueClock } from "../platform/clock.ts";
import type { Bell } from "./bell.ts";
import type { Reader } from "./reader.ts";

/**
 * The durable memory of the service. Every method that writes is one transaction, or several of
 * which each leaves things whole. Every driver passes test/contract.
 */
export interface Store {
  readonly reader: Reader;

  /** The time by which everything in it is judged, the same for all nodes that share it. */
  readonly clock: DueClock;

  /** The last write was refused because the disk of the store is full. */
  readonly isDiskFull: boolean;

  /** Rings when what was written gave room to somebody who waited for it. */
  readonly slotFreed: Bell;

  /**
   * Makes one act true and answers it, once that is durable. Acts of concurrent callers are
   * written in groups. Refuses with the Problem "overloaded" when too many wait, unless the act
   * ends something that is under way.
   */
  act<A extends Act>(act: A): Promise<AnswerOf<A>>;

  /** Leases messages that are due and that their lines let through, lines and accounts in turn. */
  claim(request: ClaimRequest): Promise<Claim>;

  /** What an act has leased to this node, with all that is needed to send it. */
  leased(granted: readonly GrantedLease[]): Promise<readonly LeasedMessage[]>;

  /** Takes the leases of another node away from it; see core/rules/message/lease.ts. */
  takeOver(request: TakeOverRequest): Promise<TakeOver>;

  /** Says that this node lives and whether it is paused, and learns which others live. */
  beat(nodeId: string, isPaused?: boolean): Promise<Beat>;

  /** Removes what is too old whosoever it is, a page at a time. */
  sweep(request: SweepRequest): Promise<Swept>;

  /** Removes what is too old or too much of one account, a page at a time. */
  sweepAccount(request: AccountSweepRequest): Promise<AccountSwept>;

  close(): Promise<void>;
}

export interface ClaimRequest {
  readonly nodeId: string;
  /** Used by drivers and tests without a clock of their own. */
  readonly now: Instant;
  /** How far due time is ahead of that; see DueClock. */
  readonly aheadMs: number;
  /** Free slots of this node. */
  readonly slots: number;
  /** Of those, how many may be given to retries. */
  readonly retrySlots: number;
  /** Bytes of bodies that may be brought into memory; one message is always allowed. */
  readonly bytesMax: number;
  /** Hosts that have no free slot on this node. */
  readonly fullHosts: readonly string[];
  /** Free slots of a host that is not named in `hostSlots`; no bound when absent. */
  readonly slotsPerHost?: number;
  /** Free slots of hosts that have attempts under way, or a cap of their own. */
  readonly hostSlots?: Readonly<Record<string, number>>;
  /** By host, how many of its slots each account may have; no bound for hosts that are not named. */
  readonly hostShares?: Readonly<Record<string, HostShare>>;
}

export interface HostShare {
  /** By account. */
  readonly accounts: Readonly<Record<string, number>>;
  /** For each account that is not named. */
  readonly others: number;
}

export interface Claim {
  readonly leased: readonly LeasedMessage[];
  /** When something is due next, in due time, that this node could start, were there slots; null for never. */
  readonly nextAt: Instant | null;
  /** Lines that were due and rest now: what is due still is worth another claim at once. */
  readonly linesPostponed: number;
}

/** A message, the right to settle it, and all that is needed to send it. */
export interface LeasedMessage {
  readonly lease: Lease;
  readonly message: Message;
  readonly body: Uint8Array;
  readonly host: string;
  /** Attempts made before. */
  readonly attempts: number;
}

/** A lease before its message is read. */
export interface GrantedLease extends Lease {
  readonly host: string;
  /** Attempts made before. */
  readonly attempts: number;
}

export interface TakeOverRequest {
  readonly nodeId: string;
  readonly now: Instant;
  readonly aheadMs: number;
  /** The nodes that are gone, or "others" when this node is known to be the only one. */
  readonly from: readonly DeadNode[] | "others";
}

export interface DeadNode {
  readonly nodeId: string;
  /** As last seen. A node that has beaten since is not dead. */
  readonly beats: number;
}

export interface TakeOver {
  readonly waiting: number;
  readonly cancelled: number;
  /** Leased to this node now, to be settled as dead. */
  readonly poison: readonly LeasedMessage[];
}

export interface Beat {
  /** The store's own clock. */
  readonly now: Instant;
  /** The latest due time at which another node has renewed; null when there is none. */
  readonly latestAt: Instant | null;
  /** Every node that is known, this one included. */
  readonly nodes: readonly DeadNode[];
  /** False when others have declared this node dead, and its leases are no longer its own. */
  readonly known: boolean;
  /** The oldest program that may use the schema as it now is. */
  readonly oldestProgram: number;
}

export interface SweepRequest {
  readonly now: Instant;
  /** Counts of earlier days go. */
  readonly countsBefore: Instant;
  /** Flow-control keys that were not used since go, unless they are paused or pinned. */
  readonly keysBefore: Instant;
  /** Rows of a kind that are looked at in one call. */
  readonly pageMax: number;
}

export interface AccountSweepRequest {
  readonly accountId: string;
  readonly now: Instant;
  /** What has ended goes when it was made, and last heard of, before this instant. */
  readonly endedBefore: Instant;
  readonly deadLettersBefore: Instant;
  /** Dead letters older than this one are too many; null when none is. */
  readonly surplusBefore: DeadLetterKey | null;
  /** The message at which the page before ended; empty for the first. */
  readonly after: string;
  /** Rows of a kind that are looked at in one call. */
  readonly pageMax: number;
}

export interface AccountSwept {
  readonly removed: number;
  /** Dead letters that went because there were too many. */
  readonly dropped: number;
  /** Where the next page starts; null when there is nothing more. */
  readonly after: string | null;
}

export interface Swept {
  readonly removed: number;
  /** There is more to look at: call again soon. */
  readonly more: boolean;
}
