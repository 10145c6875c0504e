import { type ScryptOptions, createHash, scrypt, timingSafeEqual } from "node:crypto";
import type { Ids } from "./ids.ts";

/** A salted hash that is expensive to try, for storage. */
export async function hashPassword(password: string, ids: Ids): Promise<string> {
  const salt = ids.bytes(SALT_BYTES);
  const key = await derive(password, salt, COST);
  return ["scrypt", COST, text(salt), text(key)].join("$");
}

/** False also for a text that is not a hash. */
export async function matchesPassword(password: string, hashed: string): Promise<boolean> {
  const [kind, cost, salt, key] = hashed.split("$");
  if (kind !== "scrypt" || salt === undefined || key === undefined) return false;
  const derived = await derive(password, Buffer.from(salt, "base64url"), Number(cost));
  return isSame(text(derived), key);
}

/** Compares secrets in constant time. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function derive(password: string, salt: Uint8Array, cost: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost, r: BLOCKS, p: 1, maxmem: MEMORY_BYTES_MAX };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFC"), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

/** 32 MiB and about a tenth of a second for each try. */
const COST = 15;
const BLOCKS = 8;
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
