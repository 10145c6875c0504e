import type { AccountRecord } from "../../core/model/account/account.ts";
import type { Operator } from "../../core/model/account/service-record.ts";
import { accountOf } from "../../core/rules/account/account-record.ts";
import { OWNER_OVERRIDES } from "../../core/policy/limits/limits.ts";
import { drawUuid } from "../../platform/ids.ts";
import {
  accountIdIn,
  drawSigningKey,
  drawToken,
  encodeToken,
  hashToken,
} from "../../platform/token.ts";
import type { AccountsOptions } from "./accounts.ts";
import { drawOperator } from "./first-operator.ts";
import type { Credentials as OperatorCredentials } from "./logins.ts";

/** The secrets of an account, shown once. */
export interface Credentials {
  readonly token: string;
  readonly readOnlyToken: string;
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
}

/** Given by the operator instead of being generated. */
export type CredentialSeed = {
  readonly [Name in keyof Credentials]: Credentials[Name] | undefined;
};

/** The id of the first account in earlier versions; such an account keeps it. */
const EARLIER_ACCOUNT_ID = "00000000-0000-4000-8000-000000000001";

/**
 * Fixed, so that of several nodes that start at once, with whatever tokens, one adds the account.
 */
const FIRST_CUSTOMER_ID = "owner";

export interface FirstAccount {
  /** Null when the account already exists: its secrets are not shown again. */
  readonly issued: Credentials | null;
  /** The given token is not the account's. */
  readonly isSeedIgnored: boolean;
  /** The operator that was generated with the account; null when none was. */
  readonly operator: OperatorCredentials | null;
}

/**
 * Creates the one account of a new service and, where a name is given, its operator, and returns
 * their credentials. Of nodes that start at once, one adds both, so that one log has all secrets.
 */
export async function addFirstAccount(
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

/**
 * The accounts of `dev`, the same everywhere, so that an SDK in its dev mode connects without
 * settings.
 */
export async function addDevAccounts(options: AccountsOptions): Promise<void> {
  await requireSecretKey(options);
  await Promise.all(
    DEV_ACCOUNTS.map((row) => {
      const { accountId } = row;
      return addAccount(options, { accountId, customerId: accountId }, devAccess(row));
    }),
  );
}

/** Dev's first account. */
export const DEV_ACCOUNT_ID = "defaultUser";

/** The credentials of dev's first account, which `dev` prints. */
export function devCredentials(): Credentials {
  return devAccess(DEV_ACCOUNTS[0]);
}

/** Of all accounts of dev, which prints them: they are public. */
export function publicCredentials(): readonly Credentials[] {
  return DEV_ACCOUNTS.map(devAccess);
}

/** Accounts with public tokens must never be served to other machines. */
export async function hasDevAccounts({ store }: AccountsOptions): Promise<boolean> {
  const found = await Promise.all(
    DEV_ACCOUNTS.map(({ accountId }) => store.reader.accounts.get(accountId)),
  );
  return found.some((account) => account !== null && account.customerId !== FIRST_CUSTOMER_ID);
}

/** False when it already exists. */
async function addAccount(
  { store, clock, secretBox }: AccountsOptions,
  { accountId, customerId }: Pick<AccountRecord, "accountId" | "customerId">,
  credentials: Credentials,
  operator?: Operator,
): Promise<boolean> {
  const account = accountOf({
    accountId,
    dialect: null,
    plan: "paid",
    overrides: OWNER_OVERRIDES,
    planChangedAt: 0,
    customerId,
    createdAt: clock.now(),
    createdBy: "",
    budgetDollars: 0,
    isSuspended: false,
    isPaused: false,
    passwordHash: null,
    tokenHash: hashToken(credentials.token),
    readOnlyTokenHash: hashToken(credentials.readOnlyToken),
    previousTokens: null,
    namedTokens: [],
    tokenUses: {},
    signingKeys: {
      current: secretBox.seal(credentials.currentSigningKey, accountId),
      next: secretBox.seal(credentials.nextSigningKey, accountId),
    },
  });
  return (await store.act({ rule: "add-account", account, operator })) === "added";
}

/** A wrong secret key must stop the start, not the first delivery. */
export async function requireSecretKey({ store, secretBox }: AccountsOptions): Promise<void> {
  const [record] = await store.reader.accounts.list("", 1);
  if (record === undefined) return;
  try {
    secretBox.open(record.signingKeys.current, record.accountId);
  } catch (error) {
    throw new Error(
      "the secret key does not decrypt the stored keys; give the one that the service was first started with (--secret-key, or secret.key in the data folder)",
      { cause: error },
    );
  }
}

function devAccess({ accountId, password, current, next }: (typeof DEV_ACCOUNTS)[number]) {
  return {
    token: encodeToken(accountId, password),
    readOnlyToken: encodeToken(accountId, "readOnlyPassword"),
    currentSigningKey: current,
    nextSigningKey: next,
  };
}

const DEV_ACCOUNTS = [
  {
    accountId: DEV_ACCOUNT_ID,
    password: "defaultPassword",
    current: "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r",
    next: "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs",
  },
  {
    accountId: "testUser1",
    password: "testPassword",
    current: "sig_7GVPjvuwsfqF65iC8fSrs1dfYruM",
    next: "sig_5NoELc3EFnZn4DVS5bDs2Nk4b7Ua",
  },
  {
    accountId: "testUser2",
    password: "testPassword",
    current: "sig_6jWGaWRxHsw4vMSPJprXadyvrybF",
    next: "sig_7qHbvhmahe5GwfePDiS5Lg3pi6Qx",
  },
  {
    accountId: "testUser3",
    password: "testPassword",
    current: "sig_5T8FcSsynBjn9mMLBsXhpacRovJf",
    next: "sig_7GFR4YaDshFcqsxWRZpRB161jguD",
  },
] as const;
