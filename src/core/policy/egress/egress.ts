/** Where the service may send to. The same policy is checked at publish and at every connection. */

import {
  classifyAddress,
  contains,
  parseAddress,
  parseNetwork,
  type AddressBytes,
  type AddressClass,
  type Network,
} from "./address.ts";

export interface EgressPolicy {
  /** `serve` reaches public addresses only; `dev` also loopback and private ones. */
  readonly mode: "serve" | "dev";
  /** Destinations that are allowed beyond that. */
  readonly allow: readonly AllowEntry[];
  readonly httpsOnly: boolean;
  readonly own?: OwnAddresses | undefined;
}

export interface OwnAddresses {
  /** Whether the service listens there. */
  isOwn(address: AddressBytes, port: number): boolean;
  /** The URL under which callers reach it, where that is known. */
  readonly publicUrl: URL | null;
}

export type AllowEntry = { readonly port: number | null } & (
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "network"; readonly network: Network }
);

/** Why an address may not be dialed: its class, or that it is the service itself. */
type Refusal = Exclude<AddressClass, "public"> | "own";

/**
 * Reads one entry of the setting: an address, a network in CIDR form or a host name, each with or
 * without a port (IPv6 then in brackets); else null.
 */
export function parseAllowEntry(text: string): AllowEntry | null {
  const whole = parseHostOrNetwork(text, null);
  if (whole !== null) return whole;
  const [, host = "", digits = ""] = WITH_PORT.exec(text) ?? [];
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? parseHostOrNetwork(host, port) : null;
}

function parseHostOrNetwork(text: string, port: number | null): AllowEntry | null {
  const network = parseNetwork(text.replace(/^\[(.*)\]$/, "$1"));
  if (network !== null) return { kind: "network", network, port };
  if (text.length > 253 || !HOST_NAME.test(text) || /^[\d.]+$/.test(text)) return null;
  return { kind: "host", host: bareHost(text), port };
}

/**
 * Why this address may not be dialed for this host, or null. Link-local addresses, where clouds
 * serve credentials, are allowed only by naming the single address or the host, and the service
 * itself only by naming its port too.
 */
export function refusal(
  policy: EgressPolicy,
  host: string,
  address: AddressBytes,
  port: number,
): Refusal | null {
  const addressClass = classifyAddress(address);
  const covering = policy.allow.filter(
    (entry) => (entry.port ?? port) === port && covers(entry, host, address, addressClass),
  );
  const isNamed = covering.some((entry) => entry.port !== null);
  if (policy.own?.isOwn(address, port) === true && !isNamed) return "own";
  if (addressClass === "public" || covering.length > 0) return null;
  const openInDev = addressClass === "loopback" || addressClass === "private";
  return policy.mode === "dev" && openInDev ? null : addressClass;
}

/**
 * Whether a connection may be made. A connection to the service itself is allowed where the URL was
 * checked by its path (see `readDestination`), which holds for no other name of it.
 */
export function mayDial(
  policy: EgressPolicy,
  host: string,
  address: AddressBytes,
  port: number,
): boolean {
  const found = refusal(policy, host, address, port);
  if (found !== "own") return found === null;
  const isJudgedByText = parseAddress(host) !== null || LOCALHOST.test(bareHost(host));
  return policy.mode === "dev" && isJudgedByText;
}

/** Whether the setting allows the service's own public URL by name. */
export function isPublicUrlOpen({ allow }: EgressPolicy, host: string, port: number): boolean {
  return allow.some(
    (entry) => entry.kind === "host" && entry.host === bareHost(host) && entry.port === port,
  );
}

/** A host name in the form in which names are compared: lower case, without a trailing dot. */
export function bareHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith(".") ? lower.slice(0, -1) : lower;
}

function covers(
  entry: AllowEntry,
  host: string,
  address: AddressBytes,
  addressClass: AddressClass,
): boolean {
  if (entry.kind === "host") return entry.host === bareHost(host);
  const { network } = entry;
  if (addressClass === "link-local" && network.bits < network.address.length * 8) return false;
  return contains(network, address);
}

/** Names of this machine. */
export const LOCALHOST =
  /^(?:(?:.*\.)?localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/;
const WITH_PORT = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/;
const HOST_NAME = /^(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*\.?$/;

/** The proxy through which every delivery leaves, when there is one. */
export interface EgressProxy {
  readonly isTls: boolean;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** `user:password`, a secret; null when the proxy asks for none. */
  readonly credentials: string | null;
}

/** Reads `http[s]://[user:password@]host[:port]`; null for anything else. */
export function parseEgressProxy(text: string): EgressProxy | null {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  if (url.port === "0" || !/^\/?$/.test(url.pathname)) return null;
  if (url.search !== "" || url.hash !== "") return null;
  const credentials = credentialsOf(url);
  if (credentials === undefined) return null;
  const isTls = url.protocol === "https:";
  return {
    isTls,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
    credentials,
  };
}

/** Undefined when they cannot be sent. */
function credentialsOf({ username, password }: URL): string | null | undefined {
  if (username === "" && password === "") return null;
  try {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return user.includes(":") || CONTROL.test(user + secret) ? undefined : `${user}:${secret}`;
  } catch {
    return undefined;
  }
}

const CONTROL = /\p{Cc}/u;
