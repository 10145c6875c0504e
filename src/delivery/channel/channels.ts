import type { Outcome } from "../../core/model/message/attempt.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MemoryBudget } from "../../platform/memory-budget.ts";
import { Channel, type ChannelEnd } from "./channel.ts";
import { offersChannel } from "./channel-protocol.ts";
import type { OriginPool } from "../http/origin-pool.ts";

/** What is known of one URL that receives steps of one account. */
interface Route {
  /** Names the account and the URL. */
  readonly key: string;
  /** Deliveries under way as requests of their own. */
  alone: number;
  readonly channels: Set<Channel>;
  /** No channel is opened before this instant of the monotonic clock. */
  closedUntil: number;
}

/**
 * Decides which deliveries use channels. One is opened when several deliveries are under way to an
 * endpoint that announces channels; until then, and to other endpoints, each is a request of its
 * own.
 */
export class Channels {
  readonly #clock: Clock;
  readonly #memory: MemoryBudget;
  readonly #routes = new Map<string, Route>();

  constructor(clock: Clock, memory: MemoryBudget) {
    this.#clock = clock;
    this.#memory = memory;
  }

  /** A channel of a route with free capacity; null when there is none. */
  to(key: string): Channel | null {
    let emptiest: Channel | null = null;
    let least = LOAD_MAX;
    for (const channel of this.#routes.get(key)?.channels ?? []) {
      const { load } = channel;
      if (load !== null && load < least) [emptiest, least] = [channel, load];
    }
    return emptiest;
  }

  /**
   * Watches a delivery outside of channels; its answer tells whether later ones may use a channel.
   */
  watch(key: string, path: string, pool: OriginPool, outcome: Promise<Outcome>): void {
    const route = this.#routes.get(key) ?? this.#add(key);
    route.alone++;
    void this.#hear(route, path, pool, outcome);
  }

  async #hear(
    route: Route,
    path: string,
    pool: OriginPool,
    outcome: Promise<Outcome>,
  ): Promise<void> {
    const ended = await outcome;
    route.alone--;
    if (ended.kind === "answer" && offersChannel(ended.headers)) this.#open(route, path, pool);
    this.#forget(route);
  }

  #open(route: Route, path: string, pool: OriginPool): void {
    if (route.alone < ALONE_MAX || this.#clock.monotonic() < route.closedUntil) return;
    for (const { load } of route.channels) if (load === null) return;
    const ground = { clock: this.#clock, carrier: pool, memory: this.#memory };
    const channel: Channel = new Channel(path, ground, (end) => {
      route.channels.delete(channel);
      if (end !== "closed") route.closedUntil = this.#clock.monotonic() + PAUSES_MS[end];
      this.#forget(route);
    });
    route.channels.add(channel);
    pool.submit(channel);
  }

  #add(key: string): Route {
    this.#makeRoom();
    const route: Route = { key, alone: 0, channels: new Set(), closedUntil: 0 };
    this.#routes.set(key, route);
    return route;
  }

  #forget(route: Route): void {
    if (isIdle(route) && this.#clock.monotonic() >= route.closedUntil) {
      this.#routes.delete(route.key);
    }
  }

  /** An entry that is evicted too early is learned again. */
  #makeRoom(): void {
    if (this.#routes.size < ROUTES_MAX) return;
    for (const [key, route] of this.#routes) if (isIdle(route)) this.#routes.delete(key);
  }
}

function isIdle({ alone, channels }: Route): boolean {
  return alone === 0 && channels.size === 0;
}

/**
 * Deliveries in one channel; more use another, so that a load balancer has connections to balance.
 */
const LOAD_MAX = 64;
/** With this many requests at once a channel is worth opening. */
const ALONE_MAX = 2;
const ROUTES_MAX = 4_096;
const PAUSES_MS: Readonly<Record<Exclude<ChannelEnd, "closed">, number>> = {
  refused: 600_000,
  broken: 30_000,
};
