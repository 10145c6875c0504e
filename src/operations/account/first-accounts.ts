import type { AccountRecord, Operator } from "../../core/model/account/account.ts";
import { newAccount } from "../../core/rules/account/accounts.ts";
import { OWNER_OVERRIDES } from "../../core/policy/limits/limits.ts";
import { drawUuid, type Ids } from "../../platform/ids.ts";
import { accountIdIn, drawSigningKey, drawToken, hashToken } from "../../platform/token.ts";
import type { AccountsOptions } from "./accounts.ts";
import type { Credentials as OperatorCredentials } from "./logins.ts";
import { requireSecretKey, storeSealed } from "./secret-key.ts";
import { type Credentials, DEV_ACCOUNTS, devAccess, devCredentials } from "./public-credentials.ts";
import { hashPassword } from "../../platform/password.ts";
import { SettingError } from "../../config/read-settings.ts";
import type { Settings } from "../../config/settings.ts";

/** Given by the operator instead of being generated. */
type CredentialSeed = {
  readonly [Name in keyof Credentials]: Credentials[Name] | undefined;
};

/** The id of the first account in earlier versions; such an account keeps it. */
const EARLIER_ACCOUNT_ID = "00000000-0000-4000-8000-000000000001";

/** Fixed: of several nodes that start at once, with whatever tokens, one adds the account. */
const FIRST_CUSTOMER_ID = "owner";

interface FirstAccount {
  /** Null when the account already exists: its secrets are not shown again. */
  readonly issued: Credentials | null;
  readonly isSeedIgnored: boolean;
  /** The operator that was generated with the account; null when none was. */
  readonly operator: OperatorCredentials | null;
}

/**
 * Creates the one account of a new service and, where a name is given, its operator, and returns
 * their credentials. Of nodes that start at once, one adds both, so that one log has all secrets.
 */
async function addFirstAccount(
  options: AccountsOptions,
  seed: CredentialSeed,
  operatorName: string | null,
): Promise<FirstAccount> {
  const { ids } = options;
  // Clients build URLs from the account id in a token.
  const accountId = (seed.token && accountIdIn(seed.token)) ?? drawUuid(ids);
  const credentials: Credentials = {
    token: seed.token ?? drawToken(accountId, ids),
    readOnlyToken: seed.readOnlyToken ?? drawToken(accountId, ids),
    currentSigningKey: seed.currentSigningKey ?? drawSigningKey(ids),
    nextSigningKey: seed.nextSigningKey ?? drawSigningKey(ids),
  };
  const known = await findFirstAccount(options);
  if (known === null) {
    const drawn = operatorName === null ? null : await drawOperator(operatorName, ids);
    const owner = { accountId, customerId: FIRST_CUSTOMER_ID };
    if (await addAccount(options, owner, credentials, drawn?.record)) {
      return { issued: credentials, isSeedIgnored: false, operator: drawn?.credentials ?? null };
    }
  }
  const record = known ?? (await findFirstAccount(options));
  await requireSecretKey(options);
  const isSeedIgnored = seed.token !== undefined && hashToken(seed.token) !== record?.tokenHash;
  return { issued: null, isSeedIgnored, operator: null };
}

async function findFirstAccount({ store }: AccountsOptions): Promise<AccountRecord | null> {
  const byCustomer = await store.reader.accounts.byCustomer(FIRST_CUSTOMER_ID);
  return byCustomer ?? store.reader.accounts.get(EARLIER_ACCOUNT_ID);
}

/** Whether the next start would create the account again, under the same id or name. */
export function isMadeAtStart({ accountId, customerId }: AccountRecord): boolean {
  return (
    customerId === FIRST_CUSTOMER_ID ||
    accountId === EARLIER_ACCOUNT_ID ||
    DEV_ACCOUNTS.some((row) => row.accountId === accountId)
  );
}

/** The same everywhere, so that an SDK in its dev mode connects without settings. */
async function addDevAccounts(options: AccountsOptions): Promise<void> {
  await requireSecretKey(options);
  await Promise.all(
    DEV_ACCOUNTS.map((row) => {
      const { accountId } = row;
      return addAccount(options, { accountId, customerId: accountId }, devAccess(row));
    }),
  );
}

/** Accounts with public tokens must never be served to other machines. */
async function hasDevAccounts({ store }: AccountsOptions): Promise<boolean> {
  const found = await Promise.all(
    DEV_ACCOUNTS.map(({ accountId }) => store.reader.accounts.get(accountId)),
  );
  return found.some((account) => account !== null && account.customerId !== FIRST_CUSTOMER_ID);
}

/** False when it already exists. */
async function addAccount(
  options: AccountsOptions,
  { accountId, customerId }: Pick<AccountRecord, "accountId" | "customerId">,
  credentials: Credentials,
  operator?: Operator,
): Promise<boolean> {
  const { store, clock, secretBox } = options;
  const seal = (text: string): string => secretBox.seal(text, accountId);
  const create = (): AccountRecord =>
    newAccount({
      accountId,
      plan: "paid",
      overrides: OWNER_OVERRIDES,
      customerId,
      createdAt: clock.now(),
      createdBy: "",
      budgetDollars: 0,
      passwordHash: null,
      tokenHash: hashToken(credentials.token),
      readOnlyTokenHash: hashToken(credentials.readOnlyToken),
      signingKeys: {
        current: seal(credentials.currentSigningKey),
        next: seal(credentials.nextSigningKey),
      },
    });
  const answer = await storeSealed(options, (keyId) =>
    store.act({ rule: "add-account", account: create(), operator, keyId }),
  );
  return answer === "added";
}

/** A generated operator: the stored record, and the credentials that are shown once. */
interface DrawnOperator {
  readonly record: Operator;
  readonly credentials: OperatorCredentials;
}

async function drawOperator(user: string, ids: Ids): Promise<DrawnOperator> {
  const password = ids.secret(PASSWORD_CHARACTERS);
  const passwordHash = await hashPassword(password, ids);
  return { record: { user, passwordHash }, credentials: { user, password } };
}

/** Null when there is an operator already, whose password is not shown again. */
async function addOperator(
  { store, ids }: AccountsOptions,
  user: string,
): Promise<OperatorCredentials | null> {
  const { operator } = await store.reader.service.get();
  if (operator !== null) return null;
  const { record, credentials } = await drawOperator(user, ids);
  const answer = await store.act({ rule: "set-operator", operator: record });
  return answer === "set" ? credentials : null;
}

const PASSWORD_CHARACTERS = 24;

/** The accounts of every service, as found or created at the start. */
export interface PreparedAccounts {
  /** Shown once: of a new service, or of dev, where they are public. */
  readonly credentials: Credentials | null;
  /** The operator gave a token, but the account was created earlier with another. */
  readonly isSeedIgnored: boolean;
  /** Shown once, when it was generated; null when it was given or exists. */
  readonly operator: OperatorCredentials | null;
}

/**
 * Creates the accounts and the operator of a new service, or finds those of an earlier start. It is
 * called once the server listens: a start that cannot listen leaves the credentials to the next one.
 * A start that fails later has shown them by `onPrepared`.
 */
export async function prepareAccounts(
  settings: Settings,
  options: AccountsOptions,
  onPrepared?: (prepared: PreparedAccounts) => void,
): Promise<PreparedAccounts> {
  const prepared = await prepare(settings, options);
  onPrepared?.(prepared);
  return prepared;
}

async function prepare(
  settings: Settings,
  accountsOptions: AccountsOptions,
): Promise<PreparedAccounts> {
  if (settings.mode === "dev") {
    await addDevAccounts(accountsOptions);
    return { credentials: devCredentials(), isSeedIgnored: false, operator: null };
  }
  if (await hasDevAccounts(accountsOptions)) {
    throw new SettingError(
      "this data was created by postrider dev, whose tokens are public; give serve another --data folder",
    );
  }
  const { adminUser, adminPassword } = settings;
  const drawnUser = adminPassword === undefined ? adminUser : null;
  const first = await addFirstAccount(accountsOptions, settings, drawnUser);
  const { issued: credentials, isSeedIgnored } = first;
  if (credentials !== null || drawnUser === null) {
    return { credentials, isSeedIgnored, operator: first.operator };
  }
  const operator = await addOperator(accountsOptions, drawnUser);
  return { credentials, isSeedIgnored, operator };
}
