import type { DialectName } from "./message.ts";

/** One of the two header vocabularies. All differences between them are in this record. */
export interface Dialect {
  readonly name: DialectName;
  /** The prefix of all our headers, as sent. */
  readonly prefix: string;
  /** The same in lower case, for comparison. */
  readonly lowerPrefix: string;
  readonly issuer: string;
  readonly userAgent: string;
  /** The query parameter that may carry the token. */
  readonly tokenParameter: string;
}

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  svc: {
    name: "svc",
    prefix: "Svc-",
    lowerPrefix: "svc-",
    issuer: "Svc",
    userAgent: "Postrider",
    tokenParameter: "svc_token",
  },
  upstash: {
    name: "upstash",
    prefix: "Upstash-",
    lowerPrefix: "upstash-",
    issuer: "Upstash",
    userAgent: "Upstash-QStash",
    tokenParameter: "qstash_token",
  },
};
