import type { IncomingMessage } from "node:http";
import { Problem } from "../../../core/problem.ts";
import {
  addressGroup,
  classifyAddress,
  type Network,
  parseAddress,
} from "../../../core/policy/egress/address.ts";
import { isWithin, plainAddress } from "../callers/caller-ip.ts";

/** How many connections may be open. */
export interface ConnectionLimits {
  readonly inAll: number;
  readonly ofAddress: number;
}

/** One address may have a tenth of all. */
export function connectionLimits(inAll: number): ConnectionLimits {
  return { inAll, ofAddress: Math.max(OF_ADDRESS_MIN, Math.ceil(inAll / 10)) };
}

/**
 * Limits all open connections, and those of one address. Loopback and trusted proxies count only
 * among all: through a proxy, every request in progress counts for the address behind it.
 */
export class ConnectionLimit {
  readonly #trustedProxies: readonly Network[];
  readonly #limits: ConnectionLimits;
  #open = 0;
  readonly #openByAddress = new Map<string, number>();

  constructor(trustedProxies: readonly Network[], limits: ConnectionLimits) {
    this.#trustedProxies = trustedProxies;
    this.#limits = limits;
  }

  get inAllMax(): number {
    return this.#limits.inAll;
  }

  /** Connections that are told why they are refused; more at once are closed without a word. */
  get refusedMax(): number {
    return Math.max(REFUSED_MIN, Math.floor(this.#limits.inAll / 20));
  }

  /** Counts a connection; the problem when there are too many, else a function to call at its end. */
  connected(remoteAddress: string | undefined): (() => void) | Problem {
    if (this.#open >= this.#limits.inAll) return tooManyInAll();
    const leave = this.#enter(plainAddress(remoteAddress ?? ""));
    if (leave === null) return tooManyOfAddress();
    this.#open += 1;
    return () => {
      this.#open -= 1;
      leave();
    };
  }

  /** Counts a request that came through a trusted proxy; call the function at its end. */
  requested(request: IncomingMessage, callerIp: (request: IncomingMessage) => string): () => void {
    const peer = plainAddress(request.socket.remoteAddress ?? "");
    if (this.#trustedProxies.length === 0 || !isWithin(this.#trustedProxies, peer)) return NOTHING;
    const leave = this.#enter(callerIp(request));
    if (leave === null) throw tooManyOfAddress();
    return leave;
  }

  #enter(address: string): (() => void) | null {
    if (isLoopback(address) || isWithin(this.#trustedProxies, address)) return NOTHING;
    const group = addressGroup(address);
    const open = this.#openByAddress.get(group) ?? 0;
    if (open >= this.#limits.ofAddress) return null;
    this.#openByAddress.set(group, open + 1);
    return () => this.#leave(group);
  }

  #leave(group: string): void {
    const open = (this.#openByAddress.get(group) ?? 1) - 1;
    if (open === 0) this.#openByAddress.delete(group);
    else this.#openByAddress.set(group, open);
  }
}

function tooManyInAll(): Problem {
  return new Problem("overloaded", "the service has too many connections; try again", 1);
}

function tooManyOfAddress(): Problem {
  return new Problem("too-many-requests", "too many connections from this address", 5);
}

function isLoopback(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && classifyAddress(address) === "loopback";
}

const NOTHING = (): void => undefined;
/** A browser opens six. */
const OF_ADDRESS_MIN = 16;
const REFUSED_MIN = 16;
