import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import type { Ids } from "./ids.ts";

/**
 * Encrypts what must be stored and used again, such as signing keys, with the service's secret key.
 * While that is rotated there are two, and each of them opens.
 */
export interface SecretBox {
  /** The id of the key that seals. The key cannot be found from it. */
  readonly keyId: string;
  /** The ids of all keys that open, as they were given. */
  readonly keyIds: readonly string[];
  /** Takes a further key, and returns its id. */
  add(secretKey: string): string;
  /** From now on this key of the box seals. */
  use(keyId: string): void;
  /** `owner` is authenticated too: a text sealed for one account does not open for another. */
  seal(text: string, owner: string): string;
  /** Throws when the secret key, the owner or a byte differs. */
  open(sealed: string, owner: string): string;
  /** The id of the key that opens it; null when none does. */
  keyIdOf(sealed: string, owner: string): string | null;
  /** Keys for another purpose, from which no secret key can be found: that of the key that seals, then the others. */
  derive(purpose: string): DerivedKeys;
}

export type DerivedKeys = readonly [string, ...string[]];

interface SecretKey {
  readonly id: string;
  /** Bytes would be made a key again for each text, which takes longer than to decrypt it. */
  readonly sealing: KeyObject;
  /** Derived once for each purpose. */
  readonly derive: (purpose: string) => string;
}

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const ID_CHARACTERS = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = "v1.";

export function createSecretBox(
  secretKey: string,
  ids: Ids,
  others: readonly string[] = [],
): SecretBox {
  const keys = [secretKey, ...others].map(toSecretKey);
  let used = keys[0]!;
  return {
    get keyId() {
      return used.id;
    },
    get keyIds() {
      return keys.map(({ id }) => id);
    },
    add(given) {
      const key = toSecretKey(given);
      if (!keys.some(({ id }) => id === key.id)) keys.push(key);
      return key.id;
    },
    use(keyId) {
      const key = keys.find(({ id }) => id === keyId);
      if (key === undefined) throw new Error("the box has no such key");
      used = key;
    },
    seal: (text, owner) => seal(used, text, owner, ids),
    open(sealed, owner) {
      for (const key of keys) {
        const text = opened(key, sealed, owner);
        if (text !== null) return text;
      }
      throw new Error("no secret key opens it");
    },
    keyIdOf: (sealed, owner) => keys.find((key) => opened(key, sealed, owner) !== null)?.id ?? null,
    derive(purpose) {
      const unused = keys.filter((key) => key !== used);
      return [used.derive(purpose), ...unused.map((key) => key.derive(purpose))];
    },
  };
}

/** The id of a secret key, by which people and nodes tell which one is meant. */
export function secretKeyIdOf(secretKey: string): string {
  return deriveKey(secretKey, "key id").toString("hex").slice(0, ID_CHARACTERS);
}

function toSecretKey(text: string): SecretKey {
  const derived = new Map<string, string>();
  const derive = (purpose: string): string => {
    const known = derived.get(purpose) ?? deriveKey(text, purpose).toString("base64url");
    derived.set(purpose, known);
    return known;
  };
  return {
    id: secretKeyIdOf(text),
    sealing: createSecretKey(deriveKey(text, "sealing")),
    derive,
  };
}

function seal({ sealing }: SecretKey, text: string, owner: string, ids: Ids): string {
  const nonce = ids.bytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, sealing, nonce).setAAD(Buffer.from(owner));
  const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return VERSION + Buffer.concat(sealed).toString("base64url");
}

/** Null when it was sealed with another key or for another owner, or was changed. */
function opened({ sealing }: SecretKey, sealed: string, owner: string): string | null {
  if (!sealed.startsWith(VERSION)) return null;
  const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(ALGORITHM, sealing, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

function deriveKey(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "", `postrider ${purpose}`, KEY_BYTES));
}
