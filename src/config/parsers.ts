import { type Network, parseNetwork } from "../core/policy/egress/address.ts";
import { parseDuration } from "../core/policy/retry/duration.ts";
import { type EgressProxy, parseEgressProxy } from "../core/policy/egress/egress-proxy.ts";
import { type AllowEntry, parseAllowEntry } from "../core/policy/egress/egress.ts";

/** The grammars of settings. Each throws a sentence that reads on from the name of the setting. */

export function parseText(text: string): string {
  if (text === "") throw new Error("is empty");
  return text;
}

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
export function parseNodeName(text: string): string {
  if (!/^[\x21-\x7e]{1,64}$/.test(text)) {
    throw new Error("must be 1 to 64 visible characters without blanks");
  }
  return text;
}

/** Only names that PostgreSQL does not fold to lower case and does not reserve for itself. */
export function parseSchemaName(text: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(text) || text.startsWith("pg_")) {
    throw new Error(
      "must be a schema name: lower-case letters, digits and _, at most 63, not beginning with pg_",
    );
  }
  return text;
}

export function parseNetworks(text: string): readonly Network[] {
  return list(text).map((item) => {
    const network = parseNetwork(item);
    if (network === null)
      throw new Error(`${item} is not an address or a network such as 10.0.0.0/8`);
    return network;
  });
}

export function parseAllowList(text: string): readonly AllowEntry[] {
  return list(text).map((item) => {
    const entry = parseAllowEntry(item);
    if (entry === null) throw new Error(`${item} is not a host, an address or a network`);
    return entry;
  });
}

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

/** Refuses a secret that is short enough to guess. */
export function parseSecret(text: string): string {
  if (text.length < SECRET_CHARACTERS_MIN) {
    throw new Error(`must have at least ${SECRET_CHARACTERS_MIN} characters`);
  }
  return text;
}

/** A colon would end the name in HTTP basic authentication. */
export function parseUser(text: string): string {
  if (!/^[\x21-\x39\x3b-\x7e]{1,128}$/.test(text)) {
    throw new Error("must be 1 to 128 visible characters without blanks and colons");
  }
  return text;
}

export function parsePassword(text: string): string {
  if (!/^[\x20-\x7e]{8,256}$/.test(text)) throw new Error("must be 8 to 256 visible characters");
  return text;
}

export function parseToken(text: string): string {
  if (!/^[\x21-\x7e]{16,1024}$/.test(text)) {
    throw new Error("must be 16 to 1024 visible characters without blanks");
  }
  return text;
}

function list(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
  TB: 1024 ** 4,
};
const GRACE_MS_MAX = 3_600_000;
const SECRET_CHARACTERS_MIN = 16;
