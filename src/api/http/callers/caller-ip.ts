import type { IncomingMessage } from "node:http";
import { contains, type Network, parseAddress } from "../../../core/policy/egress/address.ts";

/** The caller's address: the connection's, or the one that a trusted proxy reports. */
export function callerIpReader(
  trustedProxies: readonly Network[],
): (request: IncomingMessage) => string {
  const isTrusted = (text: string): boolean => isWithin(trustedProxies, text);
  return (request) => {
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    if (trustedProxies.length === 0 || !isTrusted(peer)) return peer;
    const addresses = forwardedFor(request.rawHeaders);
    // Each proxy adds on the right; addresses left of the first untrusted one may be forged.
    for (const text of addresses.toReversed()) {
      if (parseAddress(text) === null) return peer;
      if (!isTrusted(text)) return plainAddress(text);
    }
    return addresses[0] ?? peer;
  };
}

export function isWithin(networks: readonly Network[], text: string): boolean {
  const address = parseAddress(text);
  return address !== null && networks.some((network) => contains(network, address));
}

function forwardedFor(rawHeaders: readonly string[]): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== "x-forwarded-for") continue;
    values.push(...rawHeaders[index + 1]!.split(",").map((value) => value.trim()));
  }
  return values;
}

/** An IPv4 address that arrived on an IPv6 socket, without its wrapping. */
export function plainAddress(text: string): string {
  return text.startsWith("::ffff:") ? text.slice("::ffff:".length) : text;
}

/** The URL under which the caller reached the service: the setting, else the request's. */
export function publicUrlReader(
  publicUrl: string | undefined,
): (request: IncomingMessage) => { readonly proto: string; readonly host: string } {
  if (publicUrl === undefined) {
    return ({ headers }) => ({ proto: "http", host: headers.host ?? "" });
  }
  const { protocol, host } = new URL(publicUrl);
  const known = { proto: protocol.slice(0, -1), host };
  return () => known;
}
