/**
 * The accounts for which due messages wait: their new messages must not overtake them, those of
 * others need not wait for a claim.
 */
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
