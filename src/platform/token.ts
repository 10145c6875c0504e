import { hash } from "node:crypto";
import type { Ids } from "./ids.ts";

/** Only this is stored of a token: a stolen store opens nothing. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** A token names its account, since some clients read that out of it. */
export function encodeToken(accountId: string, password: string): string {
  return Buffer.from(JSON.stringify({ UserID: accountId, Password: password })).toString("base64");
}

export function drawToken(accountId: string, ids: Ids): string {
  return encodeToken(accountId, ids.secret(PASSWORD_CHARACTERS));
}

/** The verifiers use its whole text, prefix included, as 32 bytes of key. */
export function drawSigningKey(ids: Ids): string {
  return `sig_${ids.secret(SIGNING_KEY_CHARACTERS)}`;
}

/** 44 characters out of 58 are more than 256 bits. */
const PASSWORD_CHARACTERS = 44;
const SIGNING_KEY_CHARACTERS = 28;
