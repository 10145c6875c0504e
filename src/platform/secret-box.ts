import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { Ids } from "./ids.ts";

/**
 * Encrypts what must be stored and used again, such as signing keys, with the service's secret key.
 */
export interface SecretBox {
  /** `owner` is authenticated too: a text sealed for one account does not open for another. */
  seal(text: string, owner: string): string;
  /** Throws when the secret key, the owner or a byte differs. */
  open(sealed: string, owner: string): string;
  /** A key for another purpose, from which the secret key cannot be found. */
  derive(purpose: string): string;
}

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "v1.";

export function createSecretBox(secretKey: string, ids: Ids): SecretBox {
  const key = deriveKey(secretKey, "sealing");
  return {
    seal(text, owner) {
      const nonce = ids.bytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(owner));
      const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return VERSION + Buffer.concat(sealed).toString("base64url");
    },
    open(sealed, owner) {
      if (!sealed.startsWith(VERSION)) throw new Error("not a sealed text");
      const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error("not a sealed text");
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    },
    derive: (purpose) => deriveKey(secretKey, purpose).toString("base64url"),
  };
}

function deriveKey(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "", `postrider ${purpose}`, KEY_BYTES));
}
