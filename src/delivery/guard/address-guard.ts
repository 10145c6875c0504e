/** Opens connections, and only to addresses that the egress policy allows. */

import type { Socket } from "node:net";
import { parseAddress } from "../../core/policy/egress/address.ts";
import type { EgressProxy } from "../../core/policy/egress/egress-proxy.ts";
import { type EgressPolicy, mayDial } from "../../core/policy/egress/egress.ts";
import type { Clock } from "../../platform/clock.ts";
import { dial } from "../http/dial.ts";
import type { NameResolver } from "./name-resolver.ts";
import { DeliveryError, NOT_ALLOWED } from "../http/network-error.ts";
import { type Target, tlsStarter } from "../http/tls.ts";
import { openTunnel } from "../http/tunnel.ts";

/** Opens a connection; aborting the signal closes it at any stage. */
export type GuardedConnect = (target: Target, signal: AbortSignal) => Promise<Socket>;

export interface GuardOptions {
  readonly clock: Clock;
  readonly policy: EgressPolicy;
  readonly resolver: NameResolver;
  readonly connectTimeoutMs: number;
  /** Authorities in PEM form that are trusted besides the usual ones. */
  readonly extraAuthorities: readonly string[];
  /** The proxy for all connections; null for direct ones. */
  readonly proxy: EgressProxy | null;
}

/**
 * A name is resolved here, once, and the address that passed the policy is the one that is dialed;
 * nothing is sent, not even a TLS handshake, before the peer address of the socket has passed it
 * too. Behind a proxy only literal addresses can be judged: the proxy resolves names, and must
 * refuse forbidden addresses itself.
 */
export function guardedConnect(options: GuardOptions): GuardedConnect {
  const startTls = tlsStarter(options.connectTimeoutMs, options.extraAuthorities);
  const { proxy } = options;
  const open =
    proxy === null
      ? openSocket
      : (_: GuardOptions, target: Target, signal: AbortSignal) => {
          requireAllowedLiteral(options.policy, target);
          const tunnelling = { ...options, proxy, startTls };
          return openTunnel(tunnelling, target.hostname, portOf(target), signal);
        };
  return async (target, signal) => {
    const httpSocket = await open(options, target, signal);
    return target.protocol === "https:" ? startTls(target, httpSocket) : httpSocket;
  };
}

function requireAllowedLiteral(policy: EgressPolicy, target: Target): void {
  const host = target.hostname;
  if (parseAddress(host) === null || isAllowed(policy, target, host)) return;
  throw new DeliveryError(NOT_ALLOWED, true);
}

/** Tries the allowed addresses of a host in turn, all within one time limit. */
async function openSocket(
  options: GuardOptions,
  target: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const { clock, policy, connectTimeoutMs } = options;
  const giveUpAt = clock.monotonic() + connectTimeoutMs;
  let failure: unknown = new DeliveryError(NOT_ALLOWED, true);
  for (const address of await allowedAddresses(options, target)) {
    const timeoutMs = giveUpAt - clock.monotonic();
    if (timeoutMs <= 0 || signal.aborted) break;
    const limitMs = connectTimeoutMs;
    const connecting = dial({ address, port: portOf(target), timeoutMs, limitMs, clock, signal });
    try {
      return checkPeer(await connecting, policy, target);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function allowedAddresses(
  { policy, resolver }: GuardOptions,
  target: Target,
): Promise<readonly string[]> {
  const host = target.hostname;
  const literal = parseAddress(host) !== null;
  const addresses = literal ? [host] : await resolver.resolve(host);
  return addresses.filter((address) => isAllowed(policy, target, address)).slice(0, DIALLED_MAX);
}

function isAllowed(policy: EgressPolicy, target: Target, address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== null && mayDial(policy, target.hostname, bytes, portOf(target));
}

function checkPeer(socket: Socket, policy: EgressPolicy, target: Target): Socket {
  const peer = socket.remoteAddress;
  if (peer !== undefined && isAllowed(policy, target, peer)) return socket;
  socket.destroy();
  // Without a peer address the other side has closed the connection, which is not a refusal of
  // ours.
  if (peer === undefined) throw new DeliveryError("connection reset");
  throw new DeliveryError(NOT_ALLOWED, true);
}

function portOf({ port, protocol }: Target): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

const DIALLED_MAX = 3;
