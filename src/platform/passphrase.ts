import { scryptSync } from "node:crypto";
import type { Ids } from "./ids.ts";
import { createSecretBox } from "./secret-box.ts";

/** A guess takes about 0.3 s and 128 MB. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const OWNER = "passphrase";

/** Encrypts a text by a passphrase that a person has chosen. */
export function sealWith(passphrase: string, text: string, ids: Ids): string {
  const salt = Buffer.from(ids.bytes(SALT_BYTES));
  const box = createSecretBox(keyOf(passphrase, salt), ids);
  return `${salt.toString("base64url")}.${box.seal(text, OWNER)}`;
}

/** Throws when the passphrase or a byte differs. */
export function openWith(passphrase: string, sealed: string, ids: Ids): string {
  const end = sealed.indexOf(".");
  const salt = Buffer.from(sealed.slice(0, end), "base64url");
  return createSecretBox(keyOf(passphrase, salt), ids).open(sealed.slice(end + 1), OWNER);
}

function keyOf(passphrase: string, salt: Buffer): string {
  return scryptSync(passphrase.normalize("NFC"), salt, KEY_BYTES, COST).toString("base64url");
}
