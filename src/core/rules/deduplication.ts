import type { HeaderList, Instant } from "../model/message.ts";
import type { PublishOptions } from "../model/publish-options.ts";
import { sha256Hex } from "./sha-256.ts";

/** How long a key stands after the message that took it was accepted. */
export const DEDUPLICATION_MS = 10 * 60_000;

export interface TakenKey {
  readonly key: string;
  readonly expiresAt: Instant;
}

/** The key that a message takes; null when it did not ask. An explicit id wins over the content. */
export function deduplicationOf(
  options: PublishOptions,
  url: string,
  body: Uint8Array,
  at: Instant,
): TakenKey | null {
  const expiresAt = at + DEDUPLICATION_MS;
  if (options.deduplicationId !== undefined) {
    return { key: `id:${options.deduplicationId}`, expiresAt };
  }
  if (options.contentBasedDeduplication !== true) return null;
  return { key: `content:${contentHash(url, options.headers, body)}`, expiresAt };
}

/** Each part carries its length, so that two different messages never read alike. */
function contentHash(url: string, headers: HeaderList, body: Uint8Array): string {
  const lines = headers.map(([name, value]) => part(name.toLowerCase()) + part(value)).toSorted();
  const text = part(url) + part(lines.join("")) + part(sha256Hex(body));
  return sha256Hex(new TextEncoder().encode(text));
}

function part(text: string): string {
  return `${text.length}:${text}`;
}
