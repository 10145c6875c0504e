import { hash } from "node:crypto";
import type { Ids } from "./ids.ts";

/** Only the hash of a token is stored, so that a stolen store gives no access. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** A token names its account, since some clients read the account id from it. */
export function encodeToken(accountId: string, password: string): string {
  return Buffer.from(JSON.stringify({ UserID: accountId, Password: password })).toString("base64");
}

/**
 * The account that a token names; null when it names none, or an id that cannot be part of a URL.
 */
export function accountIdIn(token: string): string | null {
  try {
    const named: unknown = JSON.parse(Buffer.from(token, "base64").toString());
    const { UserID: accountId } = named as { readonly UserID?: unknown };
    return typeof accountId === "string" && ACCOUNT_ID.test(accountId) ? accountId : null;
  } catch {
    return null;
  }
}

export function drawToken(accountId: string, ids: Ids): string {
  return encodeToken(accountId, ids.secret(PASSWORD_CHARACTERS));
}

/** The verifiers use the whole text, prefix included, as the 32 bytes of the key. */
export function drawSigningKey(ids: Ids): string {
  return `sig_${ids.secret(SIGNING_KEY_CHARACTERS)}`;
}

const ACCOUNT_ID = /^[A-Za-z0-9][\w.@-]{0,63}$/;
/** 44 characters out of 58 are more than 256 bits. */
const PASSWORD_CHARACTERS = 44;
const SIGNING_KEY_CHARACTERS = 28;
