import type { IncomingMessage } from "node:http";
import { Problem } from "../../core/problem.ts";
import {
  addressGroup,
  classifyAddress,
  type Network,
  parseAddress,
} from "../../core/policy/egress/address.ts";
import { isWithin, plainAddress } from "./caller-ip.ts";

/**
 * Limits the open connections of one address. Connections of trusted proxies are not counted: there
 * every request in progress counts for the address behind the proxy. Loopback is never counted.
 */
export class ConnectionLimit {
  readonly #trustedProxies: readonly Network[];
  readonly #max: number;
  readonly #openByAddress = new Map<string, number>();

  constructor(trustedProxies: readonly Network[], max = CONNECTIONS_PER_ADDRESS_MAX) {
    this.#trustedProxies = trustedProxies;
    this.#max = max;
  }

  /**
   * Counts a connection; null when the address has too many, else a function to call at its end.
   */
  connected(remoteAddress: string | undefined): (() => void) | null {
    return this.#enter(plainAddress(remoteAddress ?? ""));
  }

  /** Counts a request that came through a trusted proxy; call the function at its end. */
  requested(request: IncomingMessage, callerIp: (request: IncomingMessage) => string): () => void {
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    if (this.#trustedProxies.length === 0 || !isWithin(this.#trustedProxies, peer)) return NOTHING;
    const leave = this.#enter(callerIp(request));
    if (leave === null) throw tooManyConnections();
    return leave;
  }

  #enter(address: string): (() => void) | null {
    if (isLoopback(address) || isWithin(this.#trustedProxies, address)) return NOTHING;
    const group = addressGroup(address);
    const open = this.#openByAddress.get(group) ?? 0;
    if (open >= this.#max) return null;
    this.#openByAddress.set(group, open + 1);
    return () => this.#leave(group);
  }

  #leave(group: string): void {
    const open = (this.#openByAddress.get(group) ?? 1) - 1;
    if (open === 0) this.#openByAddress.delete(group);
    else this.#openByAddress.set(group, open);
  }
}

export function tooManyConnections(): Problem {
  return new Problem("too-many-requests", "too many connections from this address", 5);
}

function isLoopback(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && classifyAddress(address) === "loopback";
}

const NOTHING = (): void => undefined;
/** A tenth of all connections that the service accepts. */
const CONNECTIONS_PER_ADDRESS_MAX = 1_000;
