import type { DialectChoice, DialectName } from "./message.ts";

/** One of the two header vocabularies. */
export interface Dialect {
  readonly name: DialectName;
  /** The prefix of all our headers, as sent. */
  readonly prefix: string;
  readonly lowerPrefix: string;
  /** The query parameter that may carry the token. */
  readonly tokenParameter: string;
}

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  svc: { name: "svc", prefix: "Svc-", lowerPrefix: "svc-", tokenParameter: "svc_token" },
  upstash: {
    name: "upstash",
    prefix: "Upstash-",
    lowerPrefix: "upstash-",
    tokenParameter: "qstash_token",
  },
};

export interface DeliveryDialect {
  /** Each of our headers is sent once for each of them, with the same value. */
  readonly dialects: readonly Dialect[];
  /** Who signs. Our receiver accepts both issuers, the public receivers only theirs. */
  readonly issuer: string;
  readonly userAgent: string;
}

export const DELIVERY_DIALECTS: Readonly<Record<DialectChoice, DeliveryDialect>> = {
  svc: { dialects: [DIALECTS.svc], issuer: "Svc", userAgent: "Postrider" },
  upstash: { dialects: [DIALECTS.upstash], issuer: "Upstash", userAgent: "Upstash-QStash" },
  both: {
    dialects: [DIALECTS.svc, DIALECTS.upstash],
    issuer: "Upstash",
    userAgent: "Postrider",
  },
};

/** A header of ours as it is sent in a message of that choice, with each of its prefixes. */
export function prefixed(
  choice: DialectChoice,
  name: string,
  value: string,
): (readonly [name: string, value: string])[] {
  return DELIVERY_DIALECTS[choice].dialects.map(({ prefix }) => [`${prefix}${name}`, value]);
}

/** The names of a header of ours in lower case. Responses may have it with either prefix. */
export function withEitherPrefix(name: string): readonly string[] {
  return Object.values(DIALECTS).map(({ lowerPrefix }) => `${lowerPrefix}${name}`);
}
