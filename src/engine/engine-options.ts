import type { Account } from "../core/model/account/account.ts";
import type { Message } from "../core/model/message/message.ts";
import type { Verdict } from "../core/rules/message/judge.ts";
import type { Destination } from "../core/policy/egress/read-destination.ts";
import type { Courier } from "../delivery/courier.ts";
import type { DueClock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { Bell } from "../store/bell.ts";
import type { RunLists } from "../store/reads/run-lists.ts";
import type { Store } from "../store/store.ts";

export interface EngineOptions {
  readonly store: Store;
  readonly courier: Courier;
  readonly clock: DueClock;
  readonly ids: Ids;
  readonly log: Log;
  readonly bell: Bell;
  /** What was last sent of runs. */
  readonly runLists: RunLists;
  /** Rings when a schedule may be due sooner than it was thought. */
  readonly tickBell: Bell;
  /** Null when there is none, or when it is to rest; at hand at once when it was asked for lately. */
  readonly account: (accountId: string) => Account | null | Promise<Account | null>;
  /** Reads a URL and judges whether we may send there. */
  readonly readDestination: (url: string) => Destination;
  /** An account's current signing key, in clear; at hand at once when it was used lately. */
  readonly signingKey: (accountId: string) => string | Promise<string>;
  /** Bytes of a response body that an account keeps with an attempt that was not the last. */
  readonly responseBytesKept: (accountId: string) => number | Promise<number>;
  /** Told about every attempt once it is settled. */
  readonly onAttempt: (report: AttemptReport) => void;
  /** Called when this node must not go on: the store is lost, or only newer programs may use it. */
  readonly onFatal: (error: Error) => void;
  /** This node is the only one that can use the store, so that it owns every lease at once. */
  readonly alone: boolean;
  readonly limits: EngineLimits;
}

export interface EngineLimits {
  /** Messages in hand at once on this node: about to be sent, under way, or being settled. */
  readonly slots: number;
  /** Attempts of one account under way at once toward one host that answers. */
  readonly slotsPerHost: number;
  /** Bytes of bodies in memory for sending. */
  readonly bytesMax: number;
  /** Bytes of bodies that one tick of a schedule may store, over all endpoints of a URL group. */
  readonly storedBytesMax: number;
  /** With more than this in use, what has ended goes before its time. */
  readonly logBytesMax: number;
}

export interface AttemptReport {
  readonly message: Message;
  readonly number: number;
  readonly status: number;
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly verdict: Verdict | { readonly kind: "cancelled" } | { readonly kind: "stale" };
}

/** What a start found of an earlier life. */
export interface Recovery {
  readonly resumed: number;
  readonly cancelled: number;
  readonly waiting: number;
}
