import {
  type AccountRecord,
  MAIN_TOKEN_ID,
  type SigningKeys,
} from "../../core/model/account/account.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Ids } from "../../platform/ids.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { grantedToken, isUseNews, TOKEN_USE_STEP_MS } from "../../core/rules/account/tokens.ts";
import { accountIdIn, drawSigningKey, hashToken } from "../../platform/token.ts";
import type { Store } from "../../store/store.ts";
import { BatchLoader } from "../batch-loader.ts";
import { ExpiringCache } from "../expiring-cache.ts";
import { storeSealed } from "./secret-key.ts";

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
  /** By the main token or the password: tokens, rotation and signing keys are the owner's. */
  readonly isOwner: boolean;
}

interface KnownToken {
  readonly accountId: string;
  readonly tokenHash: string;
}

/**
 * Access and keys of accounts. Where other nodes write too, cached values are at most a second old.
 * Where this process is the only writer, records are cached until a change of theirs drops them.
 */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #records: ExpiringCache<AccountRecord>;
  readonly #recordsById: BatchLoader<AccountRecord | null>;
  readonly #recordsByToken: BatchLoader<AccountRecord | null>;
  /** Tokens that have given access. Each use is judged by the account's record. */
  readonly #knownTokens = new Map<string, KnownToken>();
  /** Decrypted keys by their encrypted text, which never changes its meaning. */
  readonly #openedKeys = new Map<string, string>();
  /** When this node last noted the use of a token. */
  readonly #notedUses = new Map<string, number>();

  constructor(options: AccountsOptions) {
    this.#options = options;
    const { clock, store } = options;
    const { accounts } = store.reader;
    // Many accounts in turn would otherwise cost a query each, every second.
    this.#recordsById = new BatchLoader((ids) => accounts.getAll(ids), clock);
    this.#recordsByToken = new BatchLoader((hashes) => accounts.byTokens(hashes), clock);
    this.#records = new ExpiringCache({
      clock,
      keepMs: store.isOnlyWriter ? ONLY_WRITER_KEEP_MS : KEEP_MS,
      countMax: KEPT_MAX,
      load: (accountId) => this.#recordsById.ask(accountId),
    });
  }

  /** Null for an unknown token; not a promise when token and account are cached. */
  access(token: string): Access | Promise<Access | null> {
    const known = this.#knownTokens.get(token);
    if (known === undefined) return this.#findAccess(token);
    const access = this.accessByHash(known.accountId, known.tokenHash);
    if (access instanceof Promise) return access.then((found) => found ?? this.#findAccess(token));
    return access ?? this.#findAccess(token);
  }

  /** Access by a token that was shown before, of which the hash was kept; null when it has ended. */
  accessByHash(accountId: string, tokenHash: string): Access | null | Promise<Access | null> {
    return this.#ofRecord(accountId, (record) => record && this.#granted(record, tokenHash));
  }

  /** An account as it is, or as it was a second ago when another node has changed it. */
  record(accountId: string): AccountRecord | Promise<AccountRecord | null> {
    return this.#records.get(accountId);
  }

  /** Drops cached values of a changed account. */
  forget(accountId: string): void {
    this.#records.forget(accountId);
  }

  /** The account, unless it is suspended. */
  activeAccount(accountId: string): AccountRecord | null | Promise<AccountRecord | null> {
    return this.#ofRecord(accountId, (record) => (record?.isSuspended === true ? null : record));
  }

  /** The key that signs an account's deliveries, decrypted. */
  signingKey(accountId: string): string | Promise<string> {
    return this.#ofRecord(accountId, (record) => {
      if (record === null) throw new Error("a message belongs to an account that does not exist");
      return this.#openKey(record.signingKeys.current, record.accountId);
    });
  }

  /** Bytes of a response body that an account stores with a log entry. */
  eventBytesMax(accountId: string): number | Promise<number> {
    return this.#ofRecord(accountId, (record) => record?.limits.eventBytesMax ?? 0);
  }

  async signingKeys(accountId: string): Promise<SigningKeys> {
    const record = await this.#options.store.reader.accounts.get(accountId);
    if (record === null) throw new Problem("not-found", "the account does not exist");
    return this.#openKeys(accountId, record.signingKeys);
  }

  /** The next key becomes the current one; returns both. */
  async rotateSigningKeys(accountId: string): Promise<SigningKeys> {
    const { store, ids, secretBox } = this.#options;
    const signingKey = drawSigningKey(ids);
    const rotated = await storeSealed(this.#options, (keyId) => {
      const next = secretBox.seal(signingKey, accountId);
      return store.act({ rule: "rotate-signing-keys", accountId, next, keyId });
    });
    if (rotated === null) throw new Problem("not-found", "the account does not exist");
    this.#records.forget(accountId);
    return this.#openKeys(accountId, rotated);
  }

  /** Not a promise when the record is cached. */
  #ofRecord<Value>(
    accountId: string,
    read: (record: AccountRecord | null) => Value,
  ): Value | Promise<Value> {
    const record = this.#records.get(accountId);
    return record instanceof Promise ? record.then(read) : read(record);
  }

  /** Access by the account as it is now, so that a token made on another node is taken at once. */
  async #findAccess(token: string): Promise<Access | null> {
    const tokenHash = hashToken(token);
    const account = (await this.#recordsByToken.ask(tokenHash)) ?? (await this.#namedIn(token));
    const access = account && this.#granted(account, tokenHash);
    if (access === null) {
      this.#knownTokens.delete(token);
    } else {
      if (this.#knownTokens.size >= KEPT_MAX) this.#knownTokens.clear();
      this.#knownTokens.set(token, { accountId: access.account.accountId, tokenHash });
    }
    return access;
  }

  /** A named token is found by the account whose id it holds. */
  #namedIn(token: string): Promise<AccountRecord | null> | null {
    const accountId = accountIdIn(token);
    return accountId === null ? null : this.#recordsById.ask(accountId);
  }

  #granted(account: AccountRecord, tokenHash: string): Access | null {
    const now = this.#options.clock.now();
    const granted = grantedToken(account, tokenHash, now);
    if (granted === null) return null;
    const { tokenId, isReadOnly } = granted;
    if (tokenId !== null && isUseNews(account, tokenId, now)) this.#noteUse(account, tokenId, now);
    return { account, isReadOnly, isOwner: tokenId === MAIN_TOKEN_ID };
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

const KEEP_MS = 1_000;
/** Long enough to cost nothing; an end at all, so that no mistake lasts. */
const ONLY_WRITER_KEEP_MS = 60_000;
const KEPT_MAX = 10_000;
