import type { Settings } from "../../config/settings.ts";
import { createSecretBox, type SecretBox } from "../../platform/secret-box.ts";
import { Bell } from "../../store/bell.ts";
import type { Store } from "../../store/store.ts";
import { Accounts, type AccountsOptions } from "./accounts.ts";
import { Logins } from "./logins.ts";
import type { ManageOptions } from "./manage-accounts.ts";
import { Sessions } from "./sessions.ts";

/** The parts that decide about access. */
export interface AccountParts {
  readonly store: Store;
  readonly secretBox: SecretBox;
  readonly accounts: Accounts;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly bell: Bell;
  readonly deletionBell: Bell;
  readonly manage: ManageOptions;
  readonly controlSecret: string;
}

export function joinAccounts(
  store: Store,
  secretKey: string,
  { adminUser, adminPassword }: Settings,
  { clock, ids }: Pick<AccountsOptions, "clock" | "ids">,
): AccountParts {
  const secretBox = createSecretBox(secretKey, ids);
  const accountsOptions = { store, clock, ids, secretBox };
  const accounts = new Accounts(accountsOptions);
  const controlSecret = ids.secret(CONTROL_SECRET_CHARACTERS);
  const givenOperator =
    adminPassword === undefined ? null : { user: adminUser, password: adminPassword };
  const logins = new Logins({ store, clock, ids, givenOperator, controlSecret });
  const sessions = new Sessions({ accounts, logins, clock, secretBox });
  const bell = new Bell();
  const deletionBell = new Bell();
  const manage = { ...accountsOptions, accounts, logins, bell, deletionBell };
  const bells = { bell, deletionBell };
  return { store, secretBox, accounts, logins, sessions, ...bells, manage, controlSecret };
}

const CONTROL_SECRET_CHARACTERS = 44;
