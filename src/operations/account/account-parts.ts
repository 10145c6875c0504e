import type { SecretKeys } from "../../config/secret-key-file.ts";
import type { Settings } from "../../config/settings.ts";
import { createSecretBox, type SecretBox } from "../../platform/secret-box.ts";
import type { Clock } from "../../platform/clock.ts";
import { Bell } from "../../store/bell.ts";
import type { Store } from "../../store/store.ts";
import { Accounts, type AccountsOptions } from "./accounts.ts";
import { Logins } from "./logins.ts";
import type { ManageOptions } from "./manage-accounts.ts";
import { SecretKeyRotation } from "./rotate-secret-key.ts";
import { Sessions } from "./sessions.ts";

interface MachineClock {
  /** By which the sessions of people end, also while the clock of dev is ahead. */
  readonly machineClock: Clock;
}

/** The parts that decide about access. */
export interface AccountParts extends MachineClock {
  readonly store: Store;
  readonly secretBox: SecretBox;
  readonly accounts: Accounts;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly bell: Bell;
  readonly deletionBell: Bell;
  readonly manage: ManageOptions;
  readonly secretKeyRotation: SecretKeyRotation;
  readonly controlSecret: string;
}

export function joinAccounts(
  store: Store,
  { keys: [secretKey, ...others], folder }: SecretKeys,
  { adminUser, adminPassword }: Settings,
  { clock, machineClock, ids }: Pick<AccountsOptions, "clock" | "ids"> & MachineClock,
): AccountParts {
  const secretBox = createSecretBox(secretKey, ids, others);
  const accountsOptions = { store, clock, ids, secretBox };
  const accounts = new Accounts(accountsOptions);
  const controlSecret = ids.secret(CONTROL_SECRET_CHARACTERS);
  const givenOperator =
    adminPassword === undefined ? null : { user: adminUser, password: adminPassword };
  const logins = new Logins({ store, clock, ids, givenOperator, controlSecret });
  const sessions = new Sessions({ accounts, logins, clock: machineClock, secretBox });
  const bell = new Bell();
  const deletionBell = new Bell();
  const manage = { ...accountsOptions, accounts, logins, bell, deletionBell };
  const people = { accounts, logins, sessions, controlSecret, machineClock };
  const secretKeyRotation = new SecretKeyRotation(manage, folder);
  return { store, secretBox, bell, deletionBell, manage, secretKeyRotation, ...people };
}

const CONTROL_SECRET_CHARACTERS = 44;
