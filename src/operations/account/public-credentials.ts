import { SettingError } from "../../config/read-settings.ts";
import { type SettingName, type Settings, SETTINGS } from "../../config/settings.ts";
import { encodeToken } from "../../platform/token.ts";

/** An app's environment often holds those of `dev`, and `serve` reads the same names. */
export function requireOwnCredentials(
  settings: Settings,
  placeOf: (name: SettingName) => string,
): void {
  const known = publicCredentials();
  const texts = new Set(known.flatMap((credentials) => Object.values(credentials)).map(meaningOf));
  for (const name of CREDENTIALS) {
    const given = settings[name];
    if (given !== undefined && texts.has(meaningOf(given))) throw publicCredential(placeOf(name));
  }
  const { adminPassword } = settings;
  if (adminPassword === SETTINGS.adminPassword.defaults.dev)
    throw publicCredential(placeOf("adminPassword"));
}

/** Another spelling of a token of dev is guessed as easily. */
function meaningOf(text: string): string {
  try {
    const named: unknown = JSON.parse(Buffer.from(text, "base64").toString());
    const { UserID: accountId, Password: password } = named as Readonly<Record<string, unknown>>;
    return JSON.stringify([accountId, password]);
  } catch {
    return text;
  }
}

function publicCredential(place: string): SettingError {
  return new SettingError(
    `${place} is a credential of postrider dev, which is public; remove it, and serve generates one, or give your own`,
  );
}

const CREDENTIALS = ["token", "readOnlyToken", "currentSigningKey", "nextSigningKey"] as const;

/** The secrets of an account, shown once. */
export interface Credentials {
  readonly token: string;
  readonly readOnlyToken: string;
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
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

export function devAccess({ accountId, password, current, next }: (typeof DEV_ACCOUNTS)[number]) {
  return {
    token: encodeToken(accountId, password),
    readOnlyToken: encodeToken(accountId, "readOnlyPassword"),
    currentSigningKey: current,
    nextSigningKey: next,
  };
}

export const DEV_ACCOUNTS = [
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
