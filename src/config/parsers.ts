import { parseNetwork } from "../core/policy/egress/address.ts";
import { parseDuration } from "../core/policy/retry/duration.ts";
import {
  type EgressProxy,
  parseEgressProxy,
  parseAllowEntry,
} from "../core/policy/egress/egress.ts";

/** The grammars of settings. Each throws a sentence that reads on from the name of the setting. */

export const parseText = matching(/./s, "is empty");

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new Error("must be a port from 0 to 65535");
  return port;
}

export function parseFlag(text: string): boolean {
  if (text !== "true" && text !== "false") throw new Error("must be true or false");
  return text === "true";
}

/** Bytes, as a number or with a unit: 512MB, 2GB, 64KB. */
export function parseBytes(text: string): number {
  const match = /^(\d{1,15})\s*(B|KB|MB|GB|TB)?$/i.exec(text);
  if (match === null) throw new Error("must be a size such as 512MB or 2GB");
  return Number(match[1]) * (UNITS[(match[2] ?? "B").toUpperCase()] ?? 1);
}

/** Milliseconds, from a duration such as 30s or 1m. */
export function parseGrace(text: string): number {
  const graceMs = parseDuration(text);
  if (graceMs > GRACE_MS_MAX) throw new Error("is longer than 1h");
  return graceMs;
}

export function parseHttpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new Error("must be a URL that starts with http:// or https://");
  }
  // Paths are put behind it.
  if (/[?#]/.test(text)) throw new Error("must have no query or fragment");
  return text.replace(/\/+$/, "");
}

export function parseDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new Error("must start with postgres://");
  if (hostsOf(text).includes(",")) {
    throw new Error(
      "must name one host: an address that follows the primary, such as that of a proxy or a virtual IP",
    );
  }
  // pg reads a URL with a user and without a host too: the socket is named in its query.
  if (!URL.canParse(text.replace("@/", "@localhost/"))) {
    throw new Error(
      "must be a URL: postgres://user:password@host:5432/database, with special characters percent-encoded",
    );
  }
  return text;
}

/** What follows the password, which may hold a comma. */
function hostsOf(databaseUrl: string): string {
  const [, authority = ""] = /^\w+:\/\/([^/?#]*)/.exec(databaseUrl) ?? [];
  return authority.slice(authority.lastIndexOf("@") + 1);
}

/** What a label of monitoring and a line of the log can hold. */
export const parseNodeName = matching(
  /^[\x21-\x7e]{1,64}$/,
  "must be 1 to 64 visible characters without blanks",
);

/** Only names that PostgreSQL does not fold to lower case and does not reserve for itself. */
export const parseSchemaName = matching(
  /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/,
  "must be a schema name: lower-case letters, digits and _, at most 63, not beginning with pg_",
);

export const parseNetworks = listOf(parseNetwork, "an address or a network such as 10.0.0.0/8");
export const parseAllowList = listOf(parseAllowEntry, "a host, an address or a network");

export function parseProxy(text: string): EgressProxy {
  const proxy = parseEgressProxy(text);
  if (proxy === null)
    throw new Error("must be a URL such as http://user:password@proxy.example:3128");
  return proxy;
}

export function parseChoice<Choice extends string>(
  ...choices: readonly Choice[]
): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((known) => known === text);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}`);
    return choice;
  };
}

/** Fewer could be guessed. */
export const SECRET_CHARACTERS_MIN = 16;

export function parseSecret(text: string): string {
  if (text.length >= SECRET_CHARACTERS_MIN) return text;
  throw new Error(`must have at least ${SECRET_CHARACTERS_MIN} characters`);
}

/** A colon would end the name in HTTP basic authentication. */
export const parseUser = matching(
  /^[\x21-\x39\x3b-\x7e]{1,128}$/,
  "must be 1 to 128 visible characters without blanks and colons",
);

export const parsePassword = matching(
  /^[\x20-\x7e]{8,256}$/,
  "must be 8 to 256 visible characters",
);

export const parseToken = matching(
  /^[\x21-\x7e]{16,1024}$/,
  "must be 16 to 1024 visible characters without blanks",
);

function matching(pattern: RegExp, sentence: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new Error(sentence);
    return text;
  };
}

function listOf<Item>(
  parse: (text: string) => Item | null,
  kind: string,
): (text: string) => readonly Item[] {
  return (text) => {
    const items = text.split(",").map((item) => item.trim());
    return items.flatMap((item) => {
      if (item === "") return [];
      const parsed = parse(item);
      if (parsed === null) throw new Error(`${item} is not ${kind}`);
      return [parsed];
    });
  };
}

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
  TB: 1024 ** 4,
};
const GRACE_MS_MAX = 3_600_000;
