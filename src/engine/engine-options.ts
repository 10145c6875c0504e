import type { Account, SecretKeyMark } from "../core/model/account/account.ts";
import type { Message } from "../core/model/message/message.ts";
import type { Verdict } from "../core/rules/message/judge.ts";
import type { ReadDestination } from "../core/policy/egress/read-destination.ts";
import type { Courier } from "../delivery/courier.ts";
import type { Clock, DueClock } from "../platform/clock.ts";
import type { FairTurns } from "../platform/fair-turns.ts";
import type { Ids } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { Bell } from "../store/bell.ts";
import type { RunLists } from "../store/reads/run-lists.ts";
import type { Store } from "../store/store.ts";

export interface EngineOptions {
  readonly store: Store;
  readonly courier: Courier;
  readonly clock: DueClock;
  /** By which nodes tell that others live, and how old what they hold is; that of dev differs from it. */
  readonly machineClock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly bell: Bell;
  /** The lists of entries that were last sent to runs. */
  readonly runLists: RunLists;
  readonly turns: FairTurns;
  /** Rings when a schedule may be due sooner than planned. */
  readonly tickBell: Bell;
  /** Rings when an account is to be deleted. */
  readonly deletionBell: Bell;
  /** Null when the account does not exist or is suspended; not a promise when it is cached. */
  readonly account: (accountId: string) => Account | null | Promise<Account | null>;
  readonly readDestination: ReadDestination;
  /** An account's current signing key, decrypted; not a promise when it is cached. */
  readonly signingKey: (accountId: string) => string | Promise<string>;
  /** Bytes of a response body that an account stores with an attempt that was not the last. */
  readonly responseBytesKept: (accountId: string) => number | Promise<number>;
  /** Called for every attempt once it is settled. */
  readonly onAttempt: (report: AttemptReport) => void;
  /** Called when this node must stop: the store is lost, or only newer programs may use it. */
  readonly onFatal: (error: Error) => void;
  /** Called when the data was moved to another store, with words for it; this node must stop. */
  readonly onMoved?: ((to: string) => void) | undefined;
  /** The ids of the secret keys that this node opens with. */
  readonly keyIds: () => readonly string[];
  /** Called when the store names another secret key than before. */
  readonly onSecretKey: (mark: SecretKeyMark) => void;
  /** This node is the only one that can use the store, so it owns every lease at once. */
  readonly alone: boolean;
  readonly limits: EngineLimits;
  readonly version: string;
  /** For people, in lists, logs and metrics. */
  readonly nodeName: string;
  /** Nothing is accepted while a commit does not wait for a synchronous standby. */
  readonly requiresStandby: boolean;
}

export interface EngineLimits {
  /** Messages that this node handles at once: about to be sent, in progress, or being settled. */
  readonly slots: number;
  /** Attempts of one account in progress at once toward one host that answers. */
  readonly slotsPerHost: number;
  /** Bytes of bodies in memory for sending. */
  readonly bytesMax: number;
  /** Bytes of bodies that one tick of a schedule may store, over all endpoints of a URL group. */
  readonly storedBytesMax: number;
  /** With more than this in use, ended messages are deleted early. */
  readonly logBytesMax: number;
}

export interface AttemptReport {
  readonly message: Message;
  readonly number: number;
  readonly status: number;
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly verdict: Verdict | { readonly kind: "canceled" } | { readonly kind: "stale" };
}

/** What a start recovered from an earlier process. */
export interface Recovery {
  readonly resumed: number;
  readonly canceled: number;
  readonly waiting: number;
}
