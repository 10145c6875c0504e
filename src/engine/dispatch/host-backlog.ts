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
  readonly #accounts = new Map<string, AccountHost>();

  constructor(request?: ClaimRequest, leased: readonly LeasedMessage[] = []) {
    if (request === undefined) return;
    for (const host of request.fullHosts) this.#hosts.add(host);
    const left = new Map<string, number>();
    for (const [host, { accounts }] of Object.entries(request.hostShares ?? {})) {
      for (const [accountId, slots] of Object.entries(accounts)) {
        if (slots <= 0) this.#accounts.set(pairKey(accountId, host), { accountId, host });
        left.set(pairKey(accountId, host), slots);
      }
    }
    for (const { host, lease } of leased) this.#count(request, left, host, lease.accountId);
  }

  has({ accountId, host }: AccountHost): boolean {
    return this.#hosts.has(host) || this.#accounts.has(pairKey(accountId, host));
  }

  /** A slot has become free since; only of the host `only`, where given. */
  hasRoom(slots: HostSlots, only?: string): boolean {
    for (const host of this.#hosts) {
      if ((only ?? host) === host && !slots.isHostFull(host)) return true;
    }
    for (const key of this.#accounts.values()) {
      if ((only ?? key.host) === key.host && !slots.isFull(key)) return true;
    }
    return false;
  }

  #count(
    { hostSlots, slotsPerHost, hostShares }: ClaimRequest,
    left: Map<string, number>,
    host: string,
    accountId: string,
  ): void {
    const ofHost = (left.get(host) ?? hostSlots?.[host] ?? slotsPerHost ?? Infinity) - 1;
    left.set(host, ofHost);
    if (ofHost <= 0) this.#hosts.add(host);
    const key = pairKey(accountId, host);
    const ofAccount = (left.get(key) ?? hostShares?.[host]?.others ?? Infinity) - 1;
    left.set(key, ofAccount);
    if (ofAccount <= 0) this.#accounts.set(key, { accountId, host });
  }
}
