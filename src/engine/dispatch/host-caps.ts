import { pairKey } from "../../store/group/row-keys.ts";

export interface AccountHost {
  readonly accountId: string;
  readonly host: string;
}

/**
 * How many attempts of an account toward one host may be in progress on this node. The cap starts
 * low, grows with every response, and shrinks with every attempt without one: a busy healthy
 * destination is not held back, and one that does not answer never takes the slots of the others.
 * Each account learns separately; the experience of all accounts only sets the start value.
 */
export class HostCaps {
  readonly #byAccount: LearnedCaps;
  readonly #hosts: LearnedCaps;
  /** The accounts that have learned a cap, by host. */
  readonly #accounts = new Map<string, Set<string>>();
  readonly #max: number;
  #last = { accountId: "", host: "", key: pairKey("", "") };

  /** `onChange` is called with the host whose caps have changed. */
  constructor(max: number, onChange: (host: string) => void) {
    this.#max = max;
    this.#hosts = new LearnedCaps(onChange, onChange);
    this.#byAccount = new LearnedCaps(
      (key) => {
        const { accountId, host } = ofPair(key);
        const accounts = this.#accounts.get(host) ?? new Set();
        this.#accounts.set(host, accounts.add(accountId));
        onChange(host);
      },
      (key) => {
        const { accountId, host } = ofPair(key);
        const accounts = this.#accounts.get(host);
        accounts?.delete(accountId);
        if (accounts?.size === 0) this.#accounts.delete(host);
        onChange(host);
      },
    );
  }

  get initial(): number {
    return Math.min(INITIAL, this.#max);
  }

  of(key: AccountHost): number {
    return this.#byAccount.get(this.#keyOf(key)) ?? this.ofNewAccount(key.host);
  }

  /** For an account that has not sent to the host lately. */
  ofNewAccount(host: string): number {
    return Math.min(this.initial, this.#hosts.get(host) ?? this.initial);
  }

  answered(key: AccountHost): void {
    const cap = this.of(key);
    if (cap < this.#max) this.#byAccount.set(this.#keyOf(key), cap + 1);
    const shared = this.#hosts.get(key.host);
    // Only a host that has been silent needs to be remembered.
    if (shared !== undefined && shared < this.initial) this.#hosts.set(key.host, shared + 1);
  }

  silent(key: AccountHost): void {
    this.#byAccount.set(this.#keyOf(key), fewer(this.of(key)));
    this.#hosts.set(key.host, fewer(this.ofNewAccount(key.host)));
  }

  /** A message asks several times, and often the next one has the same account and host. */
  #keyOf({ accountId, host }: AccountHost): string {
    const last = this.#last;
    if (last.accountId !== accountId || last.host !== host) {
      this.#last = { accountId, host, key: pairKey(accountId, host) };
    }
    return this.#last.key;
  }

  /** Whether the host has been silent. */
  isKnown(host: string): boolean {
    return this.#hosts.get(host) !== undefined;
  }

  accountsOf(host: string): ReadonlySet<string> {
    return this.#accounts.get(host) ?? NO_ACCOUNTS;
  }
}

function ofPair(key: string): AccountHost {
  const end = key.indexOf("\0");
  return { accountId: key.slice(0, end), host: key.slice(end + 1) };
}

/** Forgets the least recently used first. */
class LearnedCaps {
  readonly #caps = new Map<string, number>();
  readonly #onSet: (key: string) => void;
  readonly #onForgotten: (key: string) => void;

  constructor(onSet: (key: string) => void, onForgotten: (key: string) => void) {
    this.#onSet = onSet;
    this.#onForgotten = onForgotten;
  }

  get(key: string): number | undefined {
    return this.#caps.get(key);
  }

  set(key: string, cap: number): void {
    this.#caps.delete(key);
    this.#caps.set(key, cap);
    this.#onSet(key);
    if (this.#caps.size <= CAPS_MAX) return;
    const [oldest = ""] = this.#caps.keys();
    this.#caps.delete(oldest);
    this.#onForgotten(oldest);
  }
}

function fewer(cap: number): number {
  return Math.max(LEAST, Math.floor(cap / 2));
}

const NO_ACCOUNTS: ReadonlySet<string> = new Set();
const INITIAL = 32;
const LEAST = 2;
const CAPS_MAX = 1_000;
