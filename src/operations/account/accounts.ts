import type { AccountRecord, SigningKeys } from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Ids } from "../../platform/ids.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { grantedToken, isUseNews, TOKEN_USE_STEP_MS } from "../../core/rules/account/tokens.ts";
import { accountIdIn, drawSigningKey, hashToken } from "../../platform/token.ts";
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

/**
 * Access and keys of accounts. Where other nodes write too, cached values are at most a second old.
 * Where this process is the only writer, records are cached until a change of theirs drops them.
 */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #accesses: ExpiringCache<Access>;
  readonly #records: ExpiringCache<AccountRecord>;
  /** Decrypted keys by their encrypted text, which never changes its meaning. */
  readonly #openedKeys = new Map<string, string>();
  /** When this node last noted the use of a token. */
  readonly #notedUses = new Map<string, number>();

  constructor(options: AccountsOptions) {
    this.#options = options;
    const { clock, store } = options;
    const shared = { clock, keepMs: KEEP_MS, countMax: KEPT_MAX };
    const recordMs = store.isOnlyWriter ? ONLY_WRITER_KEEP_MS : KEEP_MS;
    // An access ends with its token, by the clock, so it is judged again each second.
    this.#accesses = new ExpiringCache({ ...shared, load: (token) => this.#findAccess(token) });
    this.#records = new ExpiringCache({
      ...shared,
      keepMs: recordMs,
      load: (id) => store.reader.accounts.get(id),
    });
  }

  /** Null for an unknown token; not a promise when the token was used within the last second. */
  access(token: string): Access | Promise<Access | null> {
    return this.#accesses.get(token);
  }

  /** Access by a token that was shown before, of which the hash was kept; null when it has ended. */
  accessByHash(accountId: string, tokenHash: string): Access | null | Promise<Access | null> {
    const record = this.#records.get(accountId);
    const judge = (found: AccountRecord | null): Access | null =>
      found === null ? null : this.#granted(found, tokenHash);
    return record instanceof Promise ? record.then(judge) : judge(record);
  }

  /** An account as it is, or as it was a second ago when another node has changed it. */
  record(accountId: string): AccountRecord | Promise<AccountRecord | null> {
    return this.#records.get(accountId);
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
    const { store } = this.#options;
    const { accounts } = store.reader;
    const tokenHash = hashToken(token);
    // Elsewhere a record may be a second old, and the access judged by it would live for another one.
    if (store.isOnlyWriter) {
      const cached = this.#records.known(accountIdIn(token) ?? "");
      const access = cached === null ? null : this.#granted(cached, tokenHash);
      if (access !== null) return access;
    }
    const account = await accounts.byToken(tokenHash);
    if (account !== null) return this.#granted(account, tokenHash);
    // A named token is found by the account that it names.
    const accountId = accountIdIn(token);
    const named = accountId === null ? null : await accounts.get(accountId);
    return named === null ? null : this.#granted(named, tokenHash);
  }

  #granted(account: AccountRecord, tokenHash: string): Access | null {
    const now = this.#options.clock.now();
    const granted = grantedToken(account, tokenHash, now);
    if (granted === null) return null;
    const { tokenId, isReadOnly } = granted;
    if (tokenId !== null && isUseNews(account, tokenId, now)) this.#noteUse(account, tokenId, now);
    return { account, isReadOnly };
  }

  /** In the background: no request waits for it, and a use that could not be noted is left out. */
  #noteUse({ accountId }: AccountRecord, tokenId: string, at: number): void {
    const key = `${accountId} ${tokenId}`;
    const noted = this.#notedUses.get(key);
    if (noted !== undefined && at - noted < TOKEN_USE_STEP_MS) return;
    if (this.#notedUses.size >= KEPT_MAX) this.#notedUses.clear();
    this.#notedUses.set(key, at);
    const used = this.#options.store.act({ rule: "use-token", accountId, tokenId, at });
    used.then(
      () => this.#records.forget(accountId),
      () => this.#notedUses.delete(key),
    );
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
/** Long enough to cost nothing; an end at all, so that no mistake lasts. */
const ONLY_WRITER_KEEP_MS = 60_000;
const KEPT_MAX = 10_000;
