import type { HeaderList, Instant } from "../../model/message/message.ts";
import type { PublishOptions } from "../../model/message/publish-options.ts";
import { sha256Hex } from "../../sha-256.ts";

/** How long a key stands after the message that took it was accepted. */
export const DEDUPLICATION_MS = 10 * 60_000;

/** One that would stand for longer was taken by a clock that was ahead: it is free. */
export const HELD_MS_MAX = 2 * DEDUPLICATION_MS;

export function isHeld({ expiresAt }: Pick<TakenKey, "expiresAt">, at: Instant): boolean {
  return expiresAt > at && expiresAt <= at + HELD_MS_MAX;
}

export interface TakenKey {
  readonly key: string;
  readonly expiresAt: Instant;
}

/** The key that a message to this URL takes. */
export type KeyOfUrl = (url: string) => TakenKey;

/**
 * How messages with the same content take their keys; null when the publisher did not ask. An
 * explicit id wins over the content. The endpoints of a URL group each have a key of their own, so
 * that one that joins the group later is not left out.
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
      // Ids hold no colon, so that the two kinds of keys never read alike.
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

/** Each part carries its length, so that two different messages never read alike. */
function hashOf(...parts: readonly string[]): string {
  return sha256Hex(new TextEncoder().encode(parts.map(part).join("")));
}

function part(text: string): string {
  return `${text.length}:${text}`;
}
