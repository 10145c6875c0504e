import type { Outcome } from "../../core/model/message/attempt.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MemoryBudget } from "../../platform/memory-budget.ts";
import { Channel, type ChannelEnd } from "./channel.ts";
import { offersChannel } from "./channel-protocol.ts";
import type { OriginPool } from "../http/origin-pool.ts";

/** What is known of one URL to which steps of workflows go. */
interface Route {
  readonly url: string;
  /** Deliveries under way that go by themselves. */
  alone: number;
  readonly channels: Set<Channel>;
  /** None is opened before, on the monotonic clock. */
  closedUntil: number;
}

/**
 * Which deliveries travel in channels. One is opened where several are under way at once to an
 * endpoint that says that it takes channels; until then, and elsewhere, each goes by itself.
 */
export class Channels {
  readonly #clock: Clock;
  readonly #memory: MemoryBudget;
  readonly #routes = new Map<string, Route>();

  constructor(clock: Clock, memory: MemoryBudget) {
    this.#clock = clock;
    this.#memory = memory;
  }

  /** A channel to a URL that has room; null when there is none. */
  to(url: string): Channel | null {
    let emptiest: Channel | null = null;
    let least = LOAD_MAX;
    for (const channel of this.#routes.get(url)?.channels ?? []) {
      const { load } = channel;
      if (load !== null && load < least) [emptiest, least] = [channel, load];
    }
    return emptiest;
  }

  /** A delivery goes by itself; its answer says whether later ones may go in a channel. */
  watch(url: string, path: string, pool: OriginPool, outcome: Promise<Outcome>): void {
    const route = this.#routes.get(url) ?? this.#add(url);
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
    if (ended.kind === "answer" && offersChannel(ended)) this.#open(route, path, pool);
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

  #add(url: string): Route {
    this.#makeRoom();
    const route: Route = { url, alone: 0, channels: new Set(), closedUntil: 0 };
    this.#routes.set(url, route);
    return route;
  }

  #forget(route: Route): void {
    if (isIdle(route) && this.#clock.monotonic() >= route.closedUntil) {
      this.#routes.delete(route.url);
    }
  }

  /** What is forgotten too early is found out again. */
  #makeRoom(): void {
    if (this.#routes.size < ROUTES_MAX) return;
    for (const [url, route] of this.#routes) if (isIdle(route)) this.#routes.delete(url);
  }
}

function isIdle({ alone, channels }: Route): boolean {
  return alone === 0 && channels.size === 0;
}

/** Deliveries in one channel; more go in another, so that what balances connections has some to balance. */
const LOAD_MAX = 64;
/** With so many by themselves at once it is worth opening one. */
const ALONE_MAX = 2;
const ROUTES_MAX = 4_096;
const PAUSES_MS: Readonly<Record<Exclude<ChannelEnd, "closed">, number>> = {
  refused: 600_000,
  broken: 30_000,
};
