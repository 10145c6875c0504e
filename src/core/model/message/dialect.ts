import type { DialectName } from "./message.ts";

/** One of the two header vocabularies. Everything that differs between them is in this record. */
export interface Dialect {
  readonly name: DialectName;
  /** The prefix of every header of ours, as it is sent. */
  readonly prefix: string;
  /** The same in lower case, as headers are compared. */
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
