/** The courier that goes out over HTTP/1.1. */

import type { Outcome } from "../core/model/message/attempt.ts";
import type { Message } from "../core/model/message/message.ts";
import { parseAddress } from "../core/policy/egress/address.ts";
import {
  destinationReader,
  type Destination,
  type GoodDestination,
} from "../core/policy/egress/read-destination.ts";
import type { EgressProxy } from "../core/policy/egress/egress-proxy.ts";
import type { EgressPolicy } from "../core/policy/egress/egress.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { MemoryBudget } from "../platform/memory-budget.ts";
import { guardedConnect } from "./guard/address-guard.ts";
import { ChannelCall } from "./channel/channel-call.ts";
import { Channels } from "./channel/channels.ts";
import { ABORTED, type Courier, type Delivery, type Sending } from "./courier.ts";
import { answerBudget } from "./http/answer-budget.ts";
import { Exchange } from "./http/exchange.ts";
import type { Lookup } from "./guard/name-lookup.ts";
import { NameResolver } from "./guard/name-resolver.ts";
import { noAnswer, noAnswerFrom, NOT_ALLOWED } from "./http/network-error.ts";
import type { OriginPool } from "./http/origin-pool.ts";
import { OriginPools } from "./http/origin-pools.ts";
import { outboundHeaders } from "./http/outbound-request.ts";
import { createSigner, type Sign } from "./signature/signature.ts";

export interface HttpCourierOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly policy: EgressPolicy;
  /** What destinations see as `<Prefix>Region`. */
  readonly region: string;
  /** Connections to one origin at a time; 50 unless given. */
  readonly connectionsMax?: number | undefined;
  /** Origins whose idle connections are kept; 1,000 unless given. */
  readonly originsMax?: number | undefined;
  /** 10 seconds unless given. */
  readonly connectTimeoutMs?: number | undefined;
  /** Bytes of an answer that are kept; 1 MB unless given. */
  readonly responseBodyBytesMax?: number | undefined;
  /** Memory of answers that are being received or stored, beside one of any size; 64 MB unless given. */
  readonly answerMemoryBytesMax?: number | undefined;
  /** Whether steps may travel together, in channels; false unless given. */
  readonly channels?: boolean | undefined;
  /** Certificate authorities in PEM form that are trusted beside the usual ones. */
  readonly extraAuthorities?: readonly string[] | undefined;
  /** Where every connection goes through; they are straight unless given. */
  readonly proxy?: EgressProxy | undefined;
  /** How names become addresses; the hosts file and name servers of the machine unless given. */
  readonly lookup?: Lookup | undefined;
}

export class HttpCourier implements Courier {
  readonly #clock: Clock;
  readonly #region: string;
  readonly #responseBodyBytesMax: number;
  readonly #readDestination: (url: string) => Destination;
  readonly #sign: Sign;
  readonly #pools: OriginPools;
  /** Null where the operator has not allowed them. */
  readonly #channels: Channels | null;
  readonly #memory: MemoryBudget;
  readonly #resolver: NameResolver;
  /** Behind a proxy it is the proxy that does. */
  readonly #resolvesNames: boolean;
  #closed = false;

  constructor(options: HttpCourierOptions) {
    const { clock, policy } = options;
    this.#clock = clock;
    this.#region = options.region;
    this.#responseBodyBytesMax = options.responseBodyBytesMax ?? 1024 * 1024;
    this.#readDestination = destinationReader(policy);
    this.#sign = createSigner(clock, options.ids);
    this.#memory = answerBudget(clock, options.answerMemoryBytesMax);
    this.#channels = options.channels === true ? new Channels(clock, this.#memory) : null;
    this.#resolver = new NameResolver(clock, options.lookup);
    this.#resolvesNames = options.proxy === undefined;
    this.#pools = new OriginPools({
      connectionsMax: options.connectionsMax ?? 50,
      originsMax: options.originsMax ?? 1000,
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

  /** Origins with a connection open or being opened. */
  get openOrigins(): number {
    return this.#pools.size;
  }

  send(delivery: Delivery): Sending {
    try {
      return this.#send(delivery);
    } catch (error) {
      return ended(noAnswerFrom(error));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pools.destroy();
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

    const timeoutMs = Math.min(message.timeoutMs, TIMEOUT_MS_MAX);
    const outgoing = {
      owner: message.accountId,
      method: message.method,
      headers: headers.list,
      body,
      answerBytesMax: delivery.answerBytesMax,
      timeoutMs,
    };
    return this.#channels !== null && mayTravel(message)
      ? this.#sendStep(this.#channels, destination, outgoing, timeoutMs)
      : this.#sendAlone(destination, outgoing, timeoutMs);
  }

  #sendAlone(
    { origin, path }: GoodDestination,
    { owner, method, headers, body, answerBytesMax, timeoutMs }: Outgoing,
    leftMs: number,
  ): Exchange {
    const pool = this.#pools.at(origin);
    const request = { path, method, headers, body: body.length === 0 ? null : asBuffer(body) };
    const exchange = new Exchange(request, pool, {
      bodyBytesMax: answerBytesMax ?? this.#responseBodyBytesMax,
      memory: this.#memory,
      owner,
    });
    exchange.watch(this.#clock, leftMs, timeoutMs);
    const name = this.#resolvesNames && !pool.hasIdle ? nameIn(origin) : null;
    if (name === null || this.#resolver.isKnown(name)) pool.submit(exchange);
    else void this.#resolveFirst(name, owner, pool, exchange);
    return exchange;
  }

  /** Connections are everybody's, but lookups are counted to the account that needs them. */
  async #resolveFirst(
    name: string,
    accountId: string,
    pool: OriginPool,
    exchange: Exchange,
  ): Promise<void> {
    try {
      await this.#resolver.resolve(name, accountId);
    } catch (error) {
      return exchange.onResponseError(null, error as Error);
    }
    if (this.#closed) exchange.abort();
    if (exchange.isSettled) pool.released(exchange);
    else pool.submit(exchange);
  }

  /** Steps of many runs go to one endpoint: if it can take them together, they travel together. */
  #sendStep(
    channels: Channels,
    destination: GoodDestination,
    outgoing: Outgoing,
    timeoutMs: number,
  ): Sending {
    const { origin, path } = destination;
    const url = origin + path;
    const channel = channels.to(url);
    if (channel === null || outgoing.body.length > CHANNEL_BODY_BYTES_MAX) {
      const exchange = this.#sendAlone(destination, outgoing, timeoutMs);
      channels.watch(url, path, this.#pools.at(origin), exchange.outcome);
      return exchange;
    }
    const call = new ChannelCall(
      { head: JSON.stringify(outgoing.headers), body: outgoing.body, timeoutMs },
      this.#clock,
      (leftMs) => this.#sendAlone(destination, outgoing, leftMs),
    );
    channel.carry(call);
    return call;
  }
}

interface Outgoing {
  /** The account whose message it is. */
  readonly owner: string;
  readonly method: Message["method"];
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Uint8Array;
  readonly answerBytesMax: number | undefined;
  /** How long the whole attempt may take. */
  readonly timeoutMs: number;
}

/** What stands under a key is sent twice at once by nobody, not even where a channel has broken. */
function mayTravel({ kind, flowControl }: Message): boolean {
  return kind === "step" && flowControl === undefined;
}

/** The name in an origin; null where that holds an address. */
function nameIn(origin: string): string | null {
  const { hostname } = new URL(origin);
  const isAddress = hostname.startsWith("[") || parseAddress(hostname) !== null;
  return isAddress ? null : hostname;
}

/** A call that came to its end before it began. */
function ended(outcome: Outcome): Sending {
  return { outcome, abort: () => undefined };
}

/** A view of the same bytes, in the type that the HTTP client sends without copying. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What is larger would hold up what comes after it. */
const CHANNEL_BODY_BYTES_MAX = 64 * 1024;
const TIMEOUT_MS_MAX = 86_400_000;
