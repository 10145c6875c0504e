import type { HeaderList } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import type { PublishOptions } from "../../model/message/publish-options.ts";
import { sha256Hex } from "../../sha-256.ts";

/** How long a key is held after its message was accepted. */
export const DEDUPLICATION_MS = 10 * 60_000;

/** A key held for longer was taken while a clock was ahead: it counts as free. */
export const HELD_MS_MAX = 2 * DEDUPLICATION_MS;

export function isHeld({ expiresAt }: Pick<TakenKey, "expiresAt">, at: Instant): boolean {
  return expiresAt > at && expiresAt <= at + HELD_MS_MAX;
}

export interface TakenKey {
  readonly key: string;
  readonly expiresAt: Instant;
}

export type KeyOfUrl = (url: string) => TakenKey;

/**
 * How messages take their deduplication keys; null when the publisher did not ask for it. An
 * explicit id overrides the content. Each endpoint of a URL group has its own key, so that an
 * endpoint added later is not left out.
 */
export function deduplicationOf(
  options: PublishOptions,
  body: Uint8Array,
  at: Instant,
  urlGroup?: string,
): KeyOfUrl | null {
  const expiresAt = at + DEDUPLICATION_MS;
  const { deduplicationId } = options;
  if (deduplicationId !== undefined) {
    return (url) => ({
      // Ids hold no colon, so the two kinds of keys never collide.
      key:
        urlGroup === undefined
          ? `id:${deduplicationId}`
          : `id:${deduplicationId}:${hashOf(urlGroup, url)}`,
      expiresAt,
    });
  }
  if (options.contentBasedDeduplication !== true) return null;
  const headers = headerText(options.headers);
  const bodyHash = sha256Hex(body);
  return (url) => ({ key: `content:${hashOf(url, headers, bodyHash)}`, expiresAt });
}

function headerText(headers: HeaderList): string {
  return headers
    .map(([name, value]) => part(name.toLowerCase()) + part(value))
    .toSorted()
    .join("");
}

/** Each part carries its length, so different messages never collide. */
function hashOf(...parts: readonly string[]): string {
  return sha256Hex(new TextEncoder().encode(parts.map(part).join("")));
}

function part(text: string): string {
  return `${text.length}:${text}`;
}
