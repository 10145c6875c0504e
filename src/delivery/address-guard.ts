/** Dials, and only where the egress policy allows it. */

import { connect, type Socket } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { buildConnector } from "undici";
import { parseAddress } from "../core/rules/address.ts";
import { refusal, type EgressPolicy } from "../core/rules/egress.ts";
import type { Clock } from "../platform/clock.ts";
import { ABORTED } from "./courier.ts";
import type { NameResolver } from "./name-resolver.ts";
import { DeliveryError, NOT_ALLOWED } from "./network-error.ts";

/** Opens a connection; the abort of the signal closes it, at whatever stage. */
export type GuardedConnect = (target: Target, signal: AbortSignal) => Promise<Socket>;

export type Target = buildConnector.Options;

export interface GuardOptions {
  readonly clock: Clock;
  readonly policy: EgressPolicy;
  readonly resolver: NameResolver;
  readonly connectTimeoutMs: number;
  /** Authorities in PEM form that are trusted beside the usual ones. */
  readonly extraAuthorities: readonly string[];
}

/**
 * A name is resolved here, once, and the address that passed the policy is the one that is
 * dialled; nothing is written, not even a TLS greeting, before the address at the other end of the
 * socket has passed it too.
 */
export function guardedConnect(options: GuardOptions): GuardedConnect {
  const startTls = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs,
    // Said here because a variable of the environment would otherwise decide.
    rejectUnauthorized: true,
    secureContext: createSecureContext(trust(options.extraAuthorities)),
  });
  return async (target, signal) => {
    const httpSocket = await openSocket(options, target, signal);
    if (target.protocol !== "https:") return httpSocket;
    return new Promise((resolve, reject) => {
      startTls({ ...target, httpSocket }, (error, socket) => {
        if (error === null) resolve(socket);
        else reject(error);
      });
    });
  };
}

/** Tries the allowed addresses of a host in turn, all within one time limit. */
async function openSocket(
  options: GuardOptions,
  target: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const { clock, policy, connectTimeoutMs } = options;
  const host = target.hostname;
  const giveUpAt = clock.monotonic() + connectTimeoutMs;
  let failure: unknown = new DeliveryError(NOT_ALLOWED, true);
  for (const address of await allowedAddresses(options, host)) {
    const timeoutMs = giveUpAt - clock.monotonic();
    if (timeoutMs <= 0 || signal.aborted) break;
    const dialled = dial({ address, port: portOf(target), timeoutMs, clock, signal });
    try {
      return checkPeer(await dialled, policy, host);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function allowedAddresses(
  { policy, resolver }: GuardOptions,
  host: string,
): Promise<readonly string[]> {
  const literal = parseAddress(host) !== null;
  const addresses = literal ? [host] : await resolver.resolve(host);
  return addresses.filter((address) => isAllowed(policy, host, address)).slice(0, DIALLED_MAX);
}

function isAllowed(policy: EgressPolicy, host: string, address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== null && refusal(policy, host, bytes) === null;
}

function checkPeer(socket: Socket, policy: EgressPolicy, host: string): Socket {
  const peer = socket.remoteAddress;
  if (peer !== undefined && isAllowed(policy, host, peer)) return socket;
  socket.destroy();
  // Without a peer the other side is gone already, which is no refusal of ours.
  if (peer === undefined) throw new DeliveryError("connection reset");
  throw new DeliveryError(NOT_ALLOWED, true);
}

interface Dial {
  readonly address: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

function dial({ address, port, timeoutMs, clock, signal }: Dial): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true });
    const close = (): void => void socket.destroy(new DeliveryError(ABORTED));
    const cancel = clock.after(timeoutMs, () => {
      socket.destroy(new DeliveryError("connection timed out"));
    });
    signal.addEventListener("abort", close);
    socket.once("connect", () => {
      cancel();
      resolve(socket);
    });
    // The listener stays: before the HTTP client has its own, an error must find someone.
    socket.on("error", reject);
    socket.once("close", () => {
      cancel();
      signal.removeEventListener("abort", close);
    });
  });
}

function portOf({ port, protocol }: Target): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function trust(extraAuthorities: readonly string[]): { ca?: string[] } {
  return extraAuthorities.length === 0
    ? {}
    : { ca: [...getCACertificates("default"), ...extraAuthorities] };
}

const DIALLED_MAX = 3;
