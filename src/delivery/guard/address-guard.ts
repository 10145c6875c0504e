/** Opens connections, and only to addresses that the egress policy allows. */

import type { Socket } from "node:net";
import { parseAddress } from "../../core/policy/egress/address.ts";
import { type EgressProxy, type EgressPolicy, mayDial } from "../../core/policy/egress/egress.ts";
import type { Clock } from "../../platform/clock.ts";
import { dialInTurn, type Inlet } from "../http/dial.ts";
import type { NameResolver } from "./name-resolver.ts";
import { DeliveryError, NOT_ALLOWED } from "../http/network-error.ts";
import type { Target } from "../http/target.ts";
import { tlsStarter } from "../http/tls.ts";
import { openTunnel } from "../http/tunnel.ts";

/** Opens a connection; aborting the signal closes it at any stage. */
export type GuardedConnect = (target: Target, inlet: Inlet, signal: AbortSignal) => Promise<Socket>;

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
  const { clock, proxy, policy, connectTimeoutMs: timeoutMs, extraAuthorities } = options;
  const startTls = tlsStarter({ clock, timeoutMs, extraAuthorities });
  return async (target, inlet, signal) => {
    if (proxy === null && !target.isTls) return openSocket(options, target, signal, inlet);
    if (proxy !== null) requireAllowedLiteral(policy, target);
    const plain =
      proxy === null
        ? await openSocket(options, target, signal)
        : await openTunnel({ ...options, proxy, startTls }, target, signal);
    const socket = target.isTls ? await startTls(target, plain) : plain;
    socket.on("data", (bytes: Buffer) => {
      if (!inlet.receive(bytes)) socket.pause();
    });
    return socket;
  };
}

function requireAllowedLiteral(policy: EgressPolicy, target: Target): void {
  const host = target.hostname;
  if (parseAddress(host) === null || isAllowed(policy, target, host)) return;
  throw new DeliveryError(NOT_ALLOWED, true);
}

async function openSocket(
  options: GuardOptions,
  target: Target,
  signal: AbortSignal,
  inlet?: Inlet,
): Promise<Socket> {
  const { clock, policy, connectTimeoutMs: limitMs } = options;
  const addresses = await allowedAddresses(options, target);
  if (addresses.length === 0) throw new DeliveryError(NOT_ALLOWED, true);
  const { port } = target;
  const judge = (socket: Socket): Socket => checkPeer(socket, policy, target);
  return dialInTurn(addresses, { port, limitMs, clock, signal, inlet }, judge);
}

async function allowedAddresses(
  { policy, resolver }: GuardOptions,
  target: Target,
): Promise<readonly string[]> {
  const host = target.hostname;
  const literal = parseAddress(host) !== null;
  const addresses = literal ? [host] : await resolver.resolve(host);
  return addresses.filter((address) => isAllowed(policy, target, address));
}

function isAllowed(policy: EgressPolicy, target: Target, address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== null && mayDial(policy, target.hostname, bytes, target.port);
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
