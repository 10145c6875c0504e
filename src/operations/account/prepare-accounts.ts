import { SettingError } from "../../config/read-settings.ts";
import type { Settings } from "../../config/settings.ts";
import type { AccountsOptions } from "./accounts.ts";
import * as firstAccounts from "./first-accounts.ts";
import { addOperator } from "./first-operator.ts";
import type { Credentials as OperatorCredentials } from "./logins.ts";

/** The accounts of every service, as found or created at the start. */
export interface PreparedAccounts {
  /** Shown once: of a new service, or of dev, where they are public. */
  readonly credentials: firstAccounts.Credentials | null;
  /** The operator gave a token, but the account was created earlier with another. */
  readonly isSeedIgnored: boolean;
  /** Shown once, when it was generated; null when it was given or exists. */
  readonly operator: OperatorCredentials | null;
}

/** Creates the accounts and the operator of a new service, or finds those of an earlier start. */
export async function prepareAccounts(
  settings: Settings,
  accountsOptions: AccountsOptions,
): Promise<PreparedAccounts> {
  if (settings.mode === "dev") {
    await firstAccounts.addDevAccounts(accountsOptions);
    return { credentials: firstAccounts.devCredentials(), isSeedIgnored: false, operator: null };
  }
  if (await firstAccounts.hasDevAccounts(accountsOptions)) {
    throw new SettingError(
      "this data was created by postrider dev, whose tokens are public; give serve another --data folder",
    );
  }
  const { adminUser, adminPassword } = settings;
  const drawnUser = adminPassword === undefined ? adminUser : null;
  const first = await firstAccounts.addFirstAccount(accountsOptions, settings, drawnUser);
  const { issued: credentials, isSeedIgnored } = first;
  if (credentials !== null || drawnUser === null) {
    return { credentials, isSeedIgnored, operator: first.operator };
  }
  const operator = await addOperator(accountsOptions, drawnUser);
  return { credentials, isSeedIgnored, operator };
}
