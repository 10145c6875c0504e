/** Where the service may send to. The same policy is asked at publish and at every connection. */

import {
  classifyAddress,
  contains,
  parseNetwork,
  type AddressBytes,
  type AddressClass,
  type Network,
} from "./address.ts";

export interface EgressPolicy {
  /** `serve` reaches public addresses only; `dev` also loopback and private ones. */
  readonly mode: "serve" | "dev";
  /** What is open beyond that. */
  readonly allow: readonly AllowEntry[];
  readonly httpsOnly: boolean;
}

export type AllowEntry =
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "network"; readonly network: Network };

/** Reads one entry of the setting: an address, a network in CIDR form or a host name; else null. */
export function parseAllowEntry(text: string): AllowEntry | null {
  const network = parseNetwork(text.replace(/^\[(.*)\]$/, "$1"));
  if (network !== null) return { kind: "network", network };
  if (text.length > 253 || !HOST_NAME.test(text) || /^[\d.]+$/.test(text)) return null;
  return { kind: "host", host: bareHost(text) };
}

/**
 * Why this address may not be dialled for this host, or null. Link-local addresses, where clouds
 * keep their credentials, are opened only by naming the single address or the host.
 */
export function refusal(
  policy: EgressPolicy,
  host: string,
  address: AddressBytes,
): Exclude<AddressClass, "public"> | null {
  const addressClass = classifyAddress(address);
  if (addressClass === "public") return null;
  const openInDev = addressClass === "loopback" || addressClass === "private";
  if (policy.mode === "dev" && openInDev) return null;
  const covered = policy.allow.some((entry) => covers(entry, host, address, addressClass));
  return covered ? null : addressClass;
}

/** A host name as names are compared: lower case, without the dot of the root. */
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

const HOST_NAME = /^(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*\.?$/;
