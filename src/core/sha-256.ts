import { hash } from "node:crypto";

/**
 * SHA-256 in lower-case hexadecimal. A pure function, and the one thing of the platform that the
 * rules use: a redacted value in a callback is made inside the store's transaction.
 */
export function sha256Hex(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}
