import type { AccountRecord, SigningKeys } from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Ids } from "../../platform/ids.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { drawSigningKey, hashToken } from "../../platform/token.ts";
import type { Store } from "../../store/store.ts";
import { ExpiringCache } from "../expiring-cache.ts";

export interface AccountsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secretBox: SecretBox;
}

/** What a token gives access to. */
export interface Access {
  readonly account: AccountRecord;
  readonly isReadOnly: boolean;
}

/** Access and keys of accounts. Cached values are at most a second old. */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #accesses: ExpiringCache<Access>;
  readonly #records: ExpiringCache<AccountRecord>;
  /** Decrypted keys by their encrypted text, which never changes its meaning. */
  readonly #openedKeys = new Map<string, string>();

  constructor(options: AccountsOptions) {
    this.#options = options;
    const { clock, store } = options;
    const shared = { clock, keepMs: KEEP_MS, countMax: KEPT_MAX };
    this.#accesses = new ExpiringCache({ ...shared, load: (token) => this.#findAccess(token) });
    this.#records = new ExpiringCache({ ...shared, load: (id) => store.reader.accounts.get(id) });
  }

  /** Null for an unknown token; not a promise when the token was used within the last second. */
  access(token: string): Access | Promise<Access | null> {
    return this.#accesses.get(token);
  }

  /** Drops cached values of a changed account. */
  forget(accountId: string): void {
    this.#records.forget(accountId);
    // The cache by token does not know the accounts of its tokens.
    this.#accesses.forgetAll();
  }

  /** The account, unless it is suspended. */
  activeAccount(accountId: string): AccountRecord | null | Promise<AccountRecord | null> {
    const record = this.#records.get(accountId);
    return record instanceof Promise ? record.then(unlessSuspended) : unlessSuspended(record);
  }

  /** The key that signs an account's deliveries, decrypted. */
  signingKey(accountId: string): string | Promise<string> {
    const record = this.#records.get(accountId);
    return record instanceof Promise ? record.then(this.#currentKey) : this.#currentKey(record);
  }

  /** Bytes of a response body that an account stores with a log entry. */
  eventBytesMax(accountId: string): number | Promise<number> {
    const record = this.#records.get(accountId);
    return record instanceof Promise ? record.then(eventBytesMaxOf) : eventBytesMaxOf(record);
  }

  async signingKeys(accountId: string): Promise<SigningKeys> {
    const record = await this.#options.store.reader.accounts.get(accountId);
    if (record === null) throw new Problem("not-found", "the account does not exist");
    return this.#openKeys(accountId, record.signingKeys);
  }

  /** The next key becomes the current one; returns both. */
  async rotateSigningKeys(accountId: string): Promise<SigningKeys> {
    const { store, ids, secretBox } = this.#options;
    const next = secretBox.seal(drawSigningKey(ids), accountId);
    const rotated = await store.act({ rule: "rotate-signing-keys", accountId, next });
    if (rotated === null) throw new Problem("not-found", "the account does not exist");
    this.#records.forget(accountId);
    return this.#openKeys(accountId, rotated);
  }

  readonly #currentKey = (record: AccountRecord | null): string => {
    if (record === null) throw new Error("a message belongs to an account that does not exist");
    return this.#openKey(record.signingKeys.current, record.accountId);
  };

  async #findAccess(token: string): Promise<Access | null> {
    const tokenHash = hashToken(token);
    const { store, clock } = this.#options;
    const account = await store.reader.accounts.byToken(tokenHash);
    if (account === null) return null;
    const { previousTokens } = account;
    if (tokenHash === account.tokenHash) return { account, isReadOnly: false };
    if (tokenHash === account.readOnlyTokenHash) return { account, isReadOnly: true };
    if (previousTokens === null || previousTokens.until <= clock.now()) return null;
    return { account, isReadOnly: tokenHash !== previousTokens.tokenHash };
  }

  #openKeys(accountId: string, { current, next }: SigningKeys): SigningKeys {
    return { current: this.#openKey(current, accountId), next: this.#openKey(next, accountId) };
  }

  #openKey(sealed: string, accountId: string): string {
    const known = this.#openedKeys.get(sealed);
    if (known !== undefined) return known;
    const opened = this.#options.secretBox.open(sealed, accountId);
    if (this.#openedKeys.size >= KEPT_MAX) this.#openedKeys.clear();
    this.#openedKeys.set(sealed, opened);
    return opened;
  }
}

function eventBytesMaxOf(record: AccountRecord | null): number {
  return record?.limits.eventBytesMax ?? 0;
}

function unlessSuspended(record: AccountRecord | null): AccountRecord | null {
  return record?.isSuspended === true ? null : record;
}

const KEEP_MS = 1_000;
const KEPT_MAX = 10_000;
