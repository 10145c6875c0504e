import { pairKey } from "../../store/group/row-keys.ts";
import type { ClaimRequest, LeasedMessage } from "../../store/store.ts";
import type { AccountHost } from "./host-caps.ts";
import type { HostSlots } from "./host-slots.ts";

/**
 * Hosts, and accounts of hosts, for which a claim may have left due messages behind because it used
 * up their slots or had none.
 */
export class HostBacklog {
  readonly #hosts = new Set<string>();
  /** The accounts by host. */
  readonly #accounts = new Map<string, Set<string>>();

  constructor(request?: ClaimRequest, leased: readonly LeasedMessage[] = []) {
    if (request === undefined) return;
    for (const host of request.fullHosts) this.#hosts.add(host);
    for (const [host, { accounts }] of request.hostShares ?? []) {
      for (const accountId in accounts) {
        if (accounts[accountId]! <= 0) this.#add({ accountId, host });
      }
    }
    const taken = new Map<string, number>();
    for (const { host, lease } of leased) this.#count(request, taken, host, lease.accountId);
  }

  has({ accountId, host }: AccountHost): boolean {
    return this.#hosts.has(host) || this.#accounts.get(host)?.has(accountId) === true;
  }

  /** A slot of any host has become free since. */
  hasRoom(slots: HostSlots): boolean {
    for (const host of this.#hosts) if (!slots.isHostFull(host)) return true;
    for (const host of this.#accounts.keys()) if (this.hasRoomAt(slots, host)) return true;
    return false;
  }

  hasRoomAt(slots: HostSlots, host: string): boolean {
    if (this.#hosts.has(host) && !slots.isHostFull(host)) return true;
    for (const accountId of this.#accounts.get(host) ?? []) {
      if (!slots.isFull({ accountId, host })) return true;
    }
    return false;
  }

  #add({ accountId, host }: AccountHost): void {
    const accounts = this.#accounts.get(host) ?? new Set();
    this.#accounts.set(host, accounts.add(accountId));
  }

  #count(
    { hostSlots, slotsPerHost, hostShares }: ClaimRequest,
    taken: Map<string, number>,
    host: string,
    accountId: string,
  ): void {
    const count = (key: string): number => {
      const counted = (taken.get(key) ?? 0) + 1;
      taken.set(key, counted);
      return counted;
    };
    if (count(host) >= (hostSlots?.get(host) ?? slotsPerHost ?? Infinity)) this.#hosts.add(host);
    const shares = hostShares?.get(host);
    const share = shares?.accounts[accountId] ?? shares?.others ?? Infinity;
    if (count(pairKey(accountId, host)) >= share) this.#add({ accountId, host });
  }
}

/** Where due messages wait: new ones must not overtake them; other accounts need no claim. */
export class AccountBacklog {
  #isAny = true;
  /** Null when the accounts are not known. */
  #accountIds: Set<string> | null = null;
  /** Accounts whose messages came to wait during a claim, which may not have seen them. */
  #since = new Set<string>();

  /** Whether due messages of any account wait. */
  get isAny(): boolean {
    return this.#isAny;
  }

  has(accountId: string): boolean {
    return this.#isAny && (this.#accountIds === null || this.#accountIds.has(accountId));
  }

  /** A message of the account was stored that did not start at once. */
  add(accountId: string): void {
    this.#accountIds?.add(accountId);
    this.#since.add(accountId);
  }

  /** There was no slot to claim messages for. */
  markAny(): void {
    this.#isAny = true;
  }

  beginClaim(): void {
    this.#since = new Set();
  }

  /** `accountIds` had messages due when the claim began; null when it did not see them all. */
  endClaim(isAny: boolean, accountIds: readonly string[] | null): void {
    this.#isAny = isAny;
    this.#accountIds = accountIds === null ? null : new Set([...accountIds, ...this.#since]);
  }
}
