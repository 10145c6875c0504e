/** The courier over HTTP/1.1. */

import type { Outcome } from "../core/model/message/attempt.ts";
import { parseAddress } from "../core/policy/egress/address.ts";
import { destinationReader, type Destination } from "../core/policy/egress/read-destination.ts";
import type { EgressProxy, EgressPolicy } from "../core/policy/egress/egress.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { Budget } from "../platform/budget.ts";
import { guardedConnect } from "./guard/address-guard.ts";
import { ABORTED, type Courier, type Delivery, type Sending } from "./courier.ts";
import { createAnswerBudget, Exchange } from "./http/exchange.ts";
import type { Lookup } from "./guard/name-lookup.ts";
import { NameResolver } from "./guard/name-resolver.ts";
import { noAnswer, noAnswerFrom, NOT_ALLOWED } from "./http/network-error.ts";
import { type OriginPool, OriginPools } from "./http/origin-pool.ts";
import { outboundHeaders } from "./http/outbound-request.ts";
import { createSigner, type Sign } from "./signature/signature.ts";

export interface HttpCourierOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly policy: EgressPolicy;
  /** What destinations see as `<Prefix>Region`. */
  readonly region: string;
  /** Connections to one origin at a time, over all accounts; 50 by default. */
  readonly connectionsMax?: number | undefined;
  /** Accounts and origins whose idle connections are kept; 1,000 by default. */
  readonly poolsMax?: number | undefined;
  /** 10 seconds by default. */
  readonly connectTimeoutMs?: number | undefined;
  /** Bytes of an answer that are kept; 1 MB by default. */
  readonly responseBodyBytesMax?: number | undefined;
  /**
   * Memory for answers that are being received or stored, besides one of any size; 64 MB by
   * default.
   */
  readonly answerMemoryBytesMax?: number | undefined;
  /** Certificate authorities in PEM form that are trusted besides the usual ones. */
  readonly extraAuthorities?: readonly string[] | undefined;
  /** The proxy for all connections; direct by default. */
  readonly proxy?: EgressProxy | undefined;
  /** How names are resolved; by the hosts file and name servers of the machine by default. */
  readonly lookup?: Lookup | undefined;
}

export class HttpCourier implements Courier {
  readonly #clock: Clock;
  readonly #region: string;
  readonly #responseBodyBytesMax: number;
  readonly #readDestination: (url: string) => Destination;
  readonly #sign: Sign;
  readonly #pools: OriginPools;
  readonly #answerBudget: Budget;
  readonly #resolver: NameResolver;
  /** Behind a proxy, the proxy resolves names. */
  readonly #resolvesNames: boolean;
  #closed = false;

  constructor(options: HttpCourierOptions) {
    const { clock, policy } = options;
    this.#clock = clock;
    this.#region = options.region;
    this.#responseBodyBytesMax = options.responseBodyBytesMax ?? 1024 * 1024;
    this.#readDestination = destinationReader(policy);
    this.#sign = createSigner(clock, options.ids);
    this.#answerBudget = createAnswerBudget(clock, options.answerMemoryBytesMax);
    this.#resolver = new NameResolver(clock, options.lookup);
    this.#resolvesNames = options.proxy === undefined;
    this.#pools = new OriginPools({
      clock,
      connectionsMax: options.connectionsMax ?? 50,
      poolsMax: options.poolsMax ?? 1000,
      connect: guardedConnect({
        clock,
        policy,
        resolver: this.#resolver,
        connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
        extraAuthorities: options.extraAuthorities ?? [],
        proxy: options.proxy ?? null,
      }),
    });
  }

  /** Accounts and origins with a connection open or being opened. */
  get openPools(): number {
    return this.#pools.size;
  }

  send(delivery: Delivery): Sending {
    try {
      return this.#send(delivery);
    } catch (error) {
      return ended(noAnswerFrom(error));
    }
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#pools.destroy();
    return Promise.resolve();
  }

  #send(delivery: Delivery): Sending {
    const { message, body } = delivery;
    if (this.#closed) return ended(noAnswer(ABORTED));
    const destination = this.#readDestination(message.url);
    if (destination.problem !== null) {
      return ended(noAnswer(destination.refused ? NOT_ALLOWED : destination.problem, true));
    }
    const signature = this.#sign(message, body, delivery.signingKey);
    const headers = outboundHeaders(message, delivery.retried, signature, this.#region);
    if (headers.problem !== null) return ended(noAnswer(headers.problem, true));

    const { method, accountId: owner } = message;
    const { origin, path } = destination;
    const pool = this.#pools.at(owner, origin);
    const request = {
      path,
      method,
      headers: headers.list,
      body: body.length === 0 ? null : body,
    };
    const exchange = new Exchange(request, pool, {
      bodyBytesMax: delivery.answerBytesMax ?? this.#responseBodyBytesMax,
      answerBudget: this.#answerBudget,
      owner,
    });
    exchange.watch(this.#clock, Math.min(message.settings.timeoutMs, TIMEOUT_MS_MAX));
    const name = this.#resolvesNames && !pool.hasIdle ? nameIn(origin) : null;
    if (name === null || this.#resolver.isKnown(name)) pool.submit(exchange);
    else void this.#resolveFirst(name, owner, pool, exchange);
    return exchange;
  }

  /** A lookup is counted for the account that needs it. */
  async #resolveFirst(
    name: string,
    accountId: string,
    pool: OriginPool,
    exchange: Exchange,
  ): Promise<void> {
    try {
      await this.#resolver.resolve(name, accountId);
    } catch (error) {
      exchange.onFailure(error);
      return pool.leaveIfUnused();
    }
    if (this.#closed) exchange.abort();
    if (exchange.isSettled) pool.leaveIfUnused();
    else pool.submit(exchange);
  }
}

/** The name in an origin; null when it is an address. */
function nameIn(origin: string): string | null {
  const { hostname } = new URL(origin);
  const isAddress = hostname.startsWith("[") || parseAddress(hostname) !== null;
  return isAddress ? null : hostname;
}

/** A call that ended before it began. */
function ended(outcome: Outcome): Sending {
  return { outcome, abort: () => undefined };
}

const TIMEOUT_MS_MAX = 86_400_000;
