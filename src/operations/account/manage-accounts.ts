import { type ChangeAccountAct, newAccount } from "../../core/rules/account/accounts.ts";
import type { AccountContents, AccountRecord } from "../../core/model/account/account.ts";
import { notFound } from "../../core/not-found.ts";
import { Problem } from "../../core/problem.ts";
import { drawUuid } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";
import { drawSigningKey, drawToken, hashToken } from "../../platform/token.ts";
import type { Bell } from "../../store/bell.ts";
import type { NewAccount } from "../../wire/account/account-request.ts";
import type { AccountSecrets } from "../../wire/account/account.ts";
import type { Accounts, AccountsOptions } from "./accounts.ts";
import { isMadeAtStart } from "./first-accounts.ts";
import type { Logins } from "./logins.ts";
import { storeSealed } from "./secret-key.ts";

export interface ManageOptions extends AccountsOptions {
  readonly accounts: Accounts;
  readonly logins: Logins;
  readonly bell: Bell;
  readonly deletionBell: Bell;
}

/** An account with its secrets in clear, which cannot be shown again. */
export interface IssuedAccount {
  readonly account: AccountRecord;
  readonly secrets: AccountSecrets;
}

export type AccountChange = Pick<ChangeAccountAct, "fields" | "overrides">;

export async function createAccount(
  options: ManageOptions,
  wanted: NewAccount,
  createdBy: string,
): Promise<IssuedAccount> {
  const { store, clock, ids, secretBox } = options;
  const accountId = drawUuid(ids);
  const { secrets, hashes } = await drawSecrets(options, accountId);
  const seal = (): string => secretBox.seal(drawSigningKey(ids), accountId);
  const kept = { accountId, ...wanted, ...hashes, createdAt: clock.now(), createdBy };
  const added = await storeSealed(options, async (keyId) => {
    const account = newAccount({ ...kept, signingKeys: { current: seal(), next: seal() } });
    const answer = await store.act({ rule: "add-account", account, keyId });
    return answer === "added" ? account : answer;
  });
  if (typeof added === "string") {
    throw new Problem("invalid-request", "customer_id: another account has it");
  }
  return { account: added, secrets };
}

export async function getAccount(
  { store }: ManageOptions,
  accountId: string,
): Promise<AccountRecord> {
  const account = await store.reader.accounts.get(accountId);
  if (account === null) throw noAccount(accountId);
  return account;
}

export function listAccounts(
  { store }: ManageOptions,
  after: string,
  count: number,
): Promise<readonly AccountRecord[]> {
  return store.reader.accounts.list(after, count);
}

/** New tokens and a new password, in one transaction; other nodes see them within a second. */
export async function rotateCredentials(
  options: ManageOptions,
  accountId: string,
  graceMs: number,
): Promise<IssuedAccount> {
  const { store, clock } = options;
  requireKept(await getAccount(options, accountId));
  const { secrets, hashes } = await drawSecrets(options, accountId);
  const account = await store.act({
    rule: "rotate-credentials",
    at: clock.now(),
    accountId,
    credentials: hashes,
    graceMs,
  });
  if (account === null) throw noAccount(accountId);
  forget(options, account);
  return { account, secrets };
}

export async function changeAccount(
  options: ManageOptions,
  accountId: string,
  change: AccountChange,
): Promise<AccountRecord> {
  const { store, clock } = options;
  const at = clock.now();
  const account = await store.act({ rule: "change-account", at, accountId, ...change });
  if (account === null) throw noAccount(accountId);
  requireKept(account);
  forget(options, account);
  const mayGoOn = change.fields.isPaused === false || change.fields.isSuspended === false;
  if (mayGoOn && !account.isHalted) await visitLines(options, accountId);
  return account;
}

/** What an account has, and whether it is being deleted. */
export interface AccountDeletion {
  readonly account: AccountRecord;
  readonly contents: AccountContents;
}

/** Counts what a deletion would remove, or has still to remove. */
export async function previewDeletion(
  options: ManageOptions,
  accountId: string,
): Promise<AccountDeletion> {
  const account = await getAccount(options, accountId);
  return { account, contents: await options.store.reader.accounts.contents(accountId) };
}

/** Begins to delete an account. The engines of all nodes see to it; it cannot be undone. */
export async function deleteAccount(
  options: ManageOptions,
  accountId: string,
  confirmed: string,
): Promise<AccountDeletion> {
  const { store, clock, deletionBell } = options;
  const found = await getAccount(options, accountId);
  if (isMadeAtStart(found)) throw new Problem("forbidden", KEPT);
  if (confirmed !== found.customerId) {
    throw new Problem("invalid-request", "confirm: is not the customer_id of the account");
  }
  const account = await store.act({ rule: "delete-account", at: clock.now(), accountId });
  if (account === null) throw noAccount(accountId);
  forget(options, account);
  deletionBell.ring();
  return previewDeletion(options, accountId);
}

function requireKept({ deletingSince }: AccountRecord): void {
  if (deletingSince !== undefined) {
    throw new Problem("forbidden", "the account is being deleted, which cannot be undone");
  }
}

/** Makes every line of an account due, a page at a time. */
async function visitLines({ store, clock, bell }: ManageOptions, accountId: string): Promise<void> {
  let after = "";
  for (;;) {
    const lines = await store.reader.lines.names(accountId, after, LINES_WOKEN_MAX);
    if (lines.length > 0) {
      await store.act({ rule: "make-lines-due", at: clock.now(), accountId, lines });
      bell.ring();
    }
    if (lines.length < LINES_WOKEN_MAX) return;
    after = lines.at(-1)!;
  }
}

async function drawSecrets({ ids }: ManageOptions, accountId: string) {
  const secrets: AccountSecrets = {
    token: drawToken(accountId, ids),
    readOnlyToken: drawToken(accountId, ids),
    password: ids.secret(PASSWORD_CHARACTERS),
  };
  const hashes = {
    tokenHash: hashToken(secrets.token),
    readOnlyTokenHash: hashToken(secrets.readOnlyToken),
    passwordHash: await hashPassword(secrets.password, ids),
  };
  return { secrets, hashes };
}

function forget({ accounts, logins }: ManageOptions, account: AccountRecord): void {
  accounts.forget(account.accountId);
  logins.forget(account.customerId);
}

export function noAccount(accountId: string): Problem {
  return notFound("account", accountId, "id");
}

const KEPT =
  "an account that the server creates at its start cannot be deleted; suspend it, or rotate its tokens";
const LINES_WOKEN_MAX = 500;
const PASSWORD_CHARACTERS = 32;
