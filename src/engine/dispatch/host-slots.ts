import type { HostShare } from "../../store/store.ts";
import { type AccountHost, HostCaps } from "./host-caps.ts";

/** A wait for a slot of a full host. */
export interface Turn {
  /** False when the wait was canceled. */
  readonly granted: Promise<boolean>;
  readonly giveUp: () => void;
}

interface AccountSlots {
  /** Attempts in progress. */
  taken: number;
  /** Messages that will be sent once they are stored. */
  earmarked: number;
  readonly waiting: Set<(granted: boolean) => void>;
}

interface Host {
  /** Attempts in progress, of all accounts. */
  taken: number;
  waiting: number;
  readonly accounts: Map<string, AccountSlots>;
}

/**
 * The slots of hosts: how many attempts are in progress to each, how many are earmarked for
 * messages, and which messages wait for one. An earmark takes no slot: most of these messages are
 * still waiting for the disk, and counted as attempts they would keep out others while a quick host
 * is idle. When too many of them are stored at once, they wait in turn.
 *
 * Accounts share the slots of a host. The last fifth is reserved for accounts that have less than
 * their share, so that an account whose calls hang leaves room for the others.
 */
export class HostSlots {
  readonly #caps: HostCaps;
  readonly #reserve: number;
  readonly #total: number;
  readonly #hosts = new Map<string, Host>();
  /** Hosts for which the two below are to be made anew. */
  readonly #changed = new Set<string>();
  readonly #left = new Map<string, number>();
  readonly #shares = new Map<string, HostShare>();

  /** `max` is for one account. */
  constructor(max: number) {
    this.#caps = new HostCaps(max, (host) => this.#changed.add(host));
    this.#total = slotsOfHost(max);
    this.#reserve = this.#total - max;
  }

  /** The slots of a host without experience. */
  get initial(): number {
    return this.#caps.initial;
  }

  left(key: AccountHost, cap = this.#caps.of(key)): number {
    const host = this.#hosts.get(key.host);
    const account = host?.accounts.get(key.accountId);
    const waiting = account?.waiting.size ?? 0;
    const held = (account?.taken ?? 0) + waiting;
    const free = this.#total - (host?.taken ?? 0) - waiting;
    return Math.min(cap - held, this.#share(host, account, free, held));
  }

  isFull(key: AccountHost): boolean {
    return this.left(key) <= 0;
  }

  /** It has fewer slots than a host without experience, since attempts had no response. */
  isFailing(key: AccountHost): boolean {
    return this.#caps.of(key) < this.#caps.initial;
  }

  /** Whether a host has no slot for any account. */
  isHostFull(name: string): boolean {
    const host = this.#hosts.get(name);
    return host !== undefined && this.#freeOf(host) <= 0;
  }

  fullHosts(): string[] {
    return [...this.#hosts.keys()].filter((host) => this.isHostFull(host));
  }

  /** More than a quarter of the slots is free, and more than one: waiting messages find some. */
  hasPlenty(key: AccountHost): boolean {
    const cap = this.#caps.of(key);
    return this.left(key, cap) > Math.max(1, cap / 4);
  }

  /** Free slots, over all accounts, of every known host. */
  leftByHost(): ReadonlyMap<string, number> {
    this.#refresh();
    return new Map(this.#left);
  }

  /** How many of those each account may take, where that is less than all of them. */
  shares(): ReadonlyMap<string, HostShare> {
    this.#refresh();
    return new Map(this.#shares);
  }

  /** Thousands of hosts may be known, of which few have changed since the last claim. */
  #refresh(): void {
    for (const name of this.#changed) {
      const host = this.#hosts.get(name);
      const learned = this.#caps.accountsOf(name);
      const hasCaps = learned.size > 0;
      if (host !== undefined) this.#left.set(name, Math.max(0, this.#freeOf(host)));
      else if (hasCaps) this.#left.set(name, this.#total);
      else this.#left.delete(name);
      const isKnown = host !== undefined || hasCaps || this.#caps.isKnown(name);
      if (isKnown) this.#shares.set(name, this.#sharesOf(name, host, learned));
      else this.#shares.delete(name);
    }
    this.#changed.clear();
  }

  #sharesOf(name: string, host: Host | undefined, learned: ReadonlySet<string>): HostShare {
    const leftFor = (accountId: string): number =>
      Math.max(0, this.left({ accountId, host: name }));
    const others = leftFor(UNKNOWN_ACCOUNT);
    const accounts: Record<string, number> = {};
    for (const accountId of host?.accounts.keys() ?? []) accounts[accountId] = leftFor(accountId);
    for (const accountId of learned) {
      const left = leftFor(accountId);
      if (left !== others) accounts[accountId] = left;
    }
    return { others, accounts };
  }

  mayEarmark(key: AccountHost): boolean {
    const earmarked = this.#hosts.get(key.host)?.accounts.get(key.accountId)?.earmarked ?? 0;
    const cap = this.#caps.of(key);
    return this.left(key, cap) > 0 && earmarked < cap;
  }

  earmark(key: AccountHost): void {
    this.#of(key).account.earmarked += 1;
  }

  /** The message enters now, or never will. */
  releaseEarmark(key: AccountHost): void {
    this.#of(key).account.earmarked -= 1;
    this.#forgetUnused(key);
  }

  /** Takes a slot, or returns a wait for one. */
  enter(key: AccountHost): Turn | null {
    const isFull = this.isFull(key);
    const { host, account } = this.#of(key);
    if (!isFull) {
      host.taken += 1;
      account.taken += 1;
      return null;
    }
    const { promise: granted, resolve } = Promise.withResolvers<boolean>();
    account.waiting.add(resolve);
    host.waiting += 1;
    const giveUp = (): void => {
      if (account.waiting.delete(resolve)) {
        host.waiting -= 1;
        resolve(false);
      }
      this.#forgetUnused(key);
    };
    return { granted, giveUp };
  }

  leave(key: AccountHost): void {
    const { host, account } = this.#of(key);
    host.taken -= 1;
    account.taken -= 1;
    this.#admitWaiting(key.host);
    this.#forgetUnused(key);
  }

  /** The host has answered: the account may have one more slot. */
  answered(key: AccountHost): void {
    this.#caps.answered(key);
    this.#admitWaiting(key.host);
  }

  /** The host did not answer, so messages that wait for a slot might wait for long. */
  silent(key: AccountHost): void {
    this.#caps.silent(key);
    this.#dismiss(key);
  }

  /** Ends all waits for a slot. */
  dismissAll(): void {
    for (const [host, { accounts }] of this.#hosts) {
      for (const accountId of accounts.keys()) this.#dismiss({ accountId, host });
    }
  }

  #dismiss(key: AccountHost): void {
    const host = this.#hosts.get(key.host);
    const account = host?.accounts.get(key.accountId);
    if (host === undefined || account === undefined) return;
    for (const resolve of account.waiting) resolve(false);
    host.waiting -= account.waiting.size;
    account.waiting.clear();
    this.#forgetUnused(key);
  }

  /** Gives free slots to waiting messages, each to the account that has the fewest. */
  #admitWaiting(name: string): void {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    while (host.waiting > 0) {
      const open = [...host.accounts].filter(([accountId, account]) => {
        return account.waiting.size > 0 && this.#mayEnter(host, account, { accountId, host: name });
      });
      const [first] = open.toSorted(([, one], [, other]) => one.taken - other.taken);
      if (first === undefined) return;
      const [, account] = first;
      const [resolve] = account.waiting;
      account.waiting.delete(resolve!);
      host.waiting -= 1;
      host.taken += 1;
      account.taken += 1;
      this.#changed.add(name);
      resolve!(true);
    }
  }

  #mayEnter(host: Host, account: AccountSlots, key: AccountHost): boolean {
    const { taken } = account;
    if (taken >= this.#caps.of(key)) return false;
    return this.#share(host, account, this.#total - host.taken, taken) > 0;
  }

  /** How many of the free slots an account may take that holds `held`. */
  #share(
    host: Host | undefined,
    account: AccountSlots | undefined,
    free: number,
    held: number,
  ): number {
    // One account without a slot here is always counted in.
    const accounts = (host?.accounts.size ?? 0) + (account === undefined ? 2 : 1);
    const part = Math.max(1, Math.floor(this.#total / accounts));
    return Math.max(free - this.#reserve, Math.min(free, part - held));
  }

  #freeOf({ taken }: Host): number {
    return this.#total - taken;
  }

  /** For a change. */
  #of({ accountId, host: name }: AccountHost): { host: Host; account: AccountSlots } {
    this.#changed.add(name);
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = { taken: 0, waiting: 0, accounts: new Map() };
      this.#hosts.set(name, host);
    }
    let account = host.accounts.get(accountId);
    if (account === undefined) {
      account = { taken: 0, earmarked: 0, waiting: new Set() };
      host.accounts.set(accountId, account);
    }
    return { host, account };
  }

  #forgetUnused({ accountId, host: name }: AccountHost): void {
    this.#changed.add(name);
    const host = this.#hosts.get(name);
    const account = host?.accounts.get(accountId);
    if (host === undefined || account === undefined) return;
    if (account.taken + account.earmarked + account.waiting.size > 0) return;
    host.accounts.delete(accountId);
    if (host.accounts.size === 0) this.#hosts.delete(name);
  }
}

/** Slots of a host, over all accounts, where one account may have `max`. */
export function slotsOfHost(max: number): number {
  return max + Math.floor(max / 4);
}

/** No account has this id. */
const UNKNOWN_ACCOUNT = "";
