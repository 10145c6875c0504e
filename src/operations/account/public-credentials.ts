import { SettingError } from "../../config/read-settings.ts";
import { type SettingName, type Settings, SETTINGS } from "../../config/settings.ts";
import { publicCredentials } from "./first-accounts.ts";

/**
 * Refuses the credentials of `dev`, which are public. An app's environment often holds them, and
 * `serve` reads variables of the same names.
 */
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
