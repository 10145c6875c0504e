/** Reads the text of a destination once, for both checking it and dialing it. */

import { parseAddress } from "./address.ts";
import { bareHost, type EgressPolicy, isPublicUrlOpen, LOCALHOST, refusal } from "./egress.ts";

export type Destination = GoodDestination | BadDestination;

export interface GoodDestination {
  readonly problem: null;
  /** Name and port as in a Host header; messages to one host share a line. */
  readonly host: string;
  /** Scheme, name and port. */
  readonly origin: string;
  /** Path and query, as sent. */
  readonly path: string;
}

export interface BadDestination {
  /** The sentence for the publisher. */
  readonly problem: string;
  /** The text is a valid URL, but the policy forbids the destination. */
  readonly refused: boolean;
}

/** Reads a URL and decides whether the service may send there. */
export type ReadDestination = (url: string) => Destination;

/** A reader that caches recent destinations; a policy never changes. */
export function destinationReader(policy: EgressPolicy): ReadDestination {
  const known = new Map<string, Destination>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const destination = readDestination(text, policy);
    if (text.length > REMEMBERED_LENGTH_MAX) return destination;
    if (known.size >= REMEMBERED_MAX) known.delete(known.keys().next().value!);
    known.set(text, destination);
    return destination;
  };
}

export function readDestination(text: string, policy: EgressPolicy): Destination {
  const grammar = textProblem(text);
  if (grammar !== null) return bad(grammar);
  const url = URL.parse(text);
  if (url === null) return bad("endpoint is not a valid url");
  if (url.port === "0") return bad("endpoint must not use port 0");
  if (policy.httpsOnly && url.protocol !== "https:") {
    return bad("endpoint must use https://", true);
  }
  const refused = hostProblem(url, policy) ?? publicUrlProblem(url, policy);
  if (refused !== null) return bad(refused, true);
  return { problem: null, host: url.host, origin: url.origin, path: url.pathname + url.search };
}

/** Problems found before parsing, since a URL parser accepts much that is better refused. */
function textProblem(text: string): string | null {
  if (text.length > LENGTH_MAX) return `endpoint is longer than ${LENGTH_MAX} characters`;
  if (!SCHEME.test(text)) {
    return COLLAPSED.test(text)
      ? "endpoint has one slash after its scheme, a proxy may have merged the two; send it percent-encoded"
      : "endpoint has invalid scheme, add http:// or https://";
  }
  if (FORBIDDEN.test(text)) {
    return "endpoint must not hold blanks, control characters or backslashes";
  }
  if (!text.isWellFormed()) return "endpoint holds half of a surrogate pair";
  if (AUTHORITY_AT.test(text)) return "endpoint must not carry credentials";
  if (EMPTY_HOST.test(text)) return "endpoint has no host";
  return null;
}

/** Names are judged when they are resolved; here those that need no resolver, and addresses. */
function hostProblem(url: URL, policy: EgressPolicy): string | null {
  const { hostname } = url;
  const literal = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  const known = KNOWN_NAMES.find(({ name }) => name.test(bareHost(hostname)));
  const addresses = parseAddress(literal) === null ? (known?.addresses ?? []) : [literal];
  const found = addresses.map((text) => refusal(policy, literal, parseAddress(text)!, portOf(url)));
  if (found.includes("own"))
    return isTestDestination(policy, url.pathname) ? null : selfProblem(url);
  if (found.length === 0 || found.includes(null)) return null;
  return `endpoint resolves to a ${found[0]} address: ${addresses[0]}${HOW_TO_OPEN}`;
}

/** A message to the service's own URL would come back to it. */
function publicUrlProblem(url: URL, policy: EgressPolicy): string | null {
  const publicUrl = policy.own?.publicUrl ?? null;
  if (publicUrl === null || !isSameHost(url, publicUrl)) return null;
  const base = publicUrl.pathname.replace(/\/$/, "");
  if (url.pathname !== base && !url.pathname.startsWith(`${base}/`)) return null;
  if (isTestDestination(policy, url.pathname.slice(base.length))) return null;
  return isPublicUrlOpen(policy, url.hostname, portOf(url)) ? null : selfProblem(url);
}

function isSameHost(one: URL, other: URL): boolean {
  return bareHost(one.hostname) === bareHost(other.hostname) && one.port === other.port;
}

/** In dev the service has an echo, and a sample workflow. */
function isTestDestination({ mode }: EgressPolicy, path: string): boolean {
  return mode === "dev" && TEST_DESTINATION.test(path);
}

function selfProblem(url: URL): string {
  const address = `${url.hostname}:${portOf(url)}`;
  return `endpoint is this service itself: ${address}; --egress-allow ${address} opens it`;
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function bad(reason: string, refused = false): BadDestination {
  return { problem: `invalid destination url: ${reason}`, refused };
}

const HOW_TO_OPEN = "; the operator can open it with --egress-allow";
const LENGTH_MAX = 8192;
const REMEMBERED_MAX = 4096;
const REMEMBERED_LENGTH_MAX = 1024;
const TEST_DESTINATION = /^\/(?:echo(?:\/|$)|dev\/workflow\/[^/]+$)/;
const SCHEME = /^https?:\/\//i;
const COLLAPSED = /^https?:\/[^/]/i;
const FORBIDDEN = /[\p{Cc}\p{Z}\\]/u;
const EMPTY_HOST = /^https?:\/\/(?:[/?#:]|$)/i;
const AUTHORITY_AT = /^https?:\/\/[^/?#]*@/i;
/** Their addresses are known without a resolver, so they are refused behind a proxy too. */
const KNOWN_NAMES = [
  {
    name: LOCALHOST,
    addresses: ["127.0.0.1", "::1"],
  },
  {
    name: /^(?:metadata\.google\.internal|metadata\.goog|metadata|instance-data(?:\.ec2\.internal)?)$/,
    addresses: ["169.254.169.254"],
  },
] as const;

/** The host of a destination, name and port: messages to one host share a line. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}
