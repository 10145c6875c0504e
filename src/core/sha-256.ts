import { hash } from "node:crypto";

/**
 * SHA-256 in lower-case hexadecimal. A pure function, and the only part of the platform that rules
 * use: redacted values of callbacks are made inside the store's transaction.
 */
export function sha256Hex(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}
