import type { Attempt } from "../../core/model/message/attempt.ts";
import type { Instant } from "../../core/model/time.ts";
import { POISON_ERROR } from "../../core/rules/message/lease.ts";
import { nodeLabel } from "../../store/node-facts.ts";
import type { LeasedMessage, TakeOver, SeenNode } from "../../store/store.ts";
import type { Chore } from "../chore.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { EngineOptions } from "../engine-options.ts";
import type { Membership } from "./membership.ts";
import type { Settler } from "../dispatch/settler.ts";
import type { Clock } from "../../platform/clock.ts";

const BEAT_MS = 5_000;
/** A lease of this node that has not been in its memory for this long is handed back. */
const DISOWN_AFTER_MS = 15_000;
/** The clock of dev is put forward, or that of the machine was set. */
const LEAP_MS = 5_000;

/** Renews this node's row, takes over from dead nodes, and disowns forgotten leases. */
export class Heartbeat implements Chore {
  readonly failure = "heartbeat failed";
  readonly lost: LostNodes;
  readonly standby: StandbyWatch;
  readonly #options: EngineOptions;
  readonly #membership: Membership;
  readonly #dispatcher: Dispatcher;
  readonly #settler: Settler;
  /** Due time minus the machine's monotonic time, at the last beat. */
  #lastOffsetMs = Infinity;
  #leaptAt = -Infinity;

  constructor(
    options: EngineOptions,
    membership: Membership,
    dispatcher: Dispatcher,
    settler: Settler,
  ) {
    this.#options = options;
    this.#membership = membership;
    this.#dispatcher = dispatcher;
    this.#settler = settler;
    this.lost = new LostNodes(options.machineClock);
    this.standby = new StandbyWatch(options);
  }

  async runOnce(): Promise<number> {
    const { log, bell, clock, machineClock } = this.#options;
    const monotonic = machineClock.monotonic();
    const dueAt = clock.due();
    const offsetMs = dueAt - monotonic;
    if (offsetMs - this.#lastOffsetMs > LEAP_MS) this.#leaptAt = monotonic;
    this.#lastOffsetMs = offsetMs;
    const { dead, wasDeclaredDead } = await this.#membership.beat();
    if (wasDeclaredDead) {
      log.warn("other nodes declared this node dead; it continues under a new id", {
        node: this.#ownName(),
      });
      this.#dispatcher.abortLimited();
    }
    if (dead.length > 0) {
      const taken = await this.takeOver(dead);
      this.lost.add(dead);
      log.warn("this node took over the messages of silent nodes", {
        by: this.#ownName(),
        from: dead.map(nodeLabel).join(", "),
        messages: taken.waiting,
      });
      bell.ring();
    }
    await this.standby.look();
    // After a leap every lease looks old, even one whose attempt is about to begin.
    const isSteady = monotonic - this.#leaptAt >= DISOWN_AFTER_MS;
    if (isSteady) await this.#disown(dueAt - DISOWN_AFTER_MS);
    const passedMs = clock.due() - dueAt - (machineClock.monotonic() - monotonic);
    return passedMs > LEAP_MS ? 0 : BEAT_MS;
  }

  onFailure(): void {
    if (this.#membership.mustAbort()) this.#dispatcher.abortLimited();
  }

  #ownName(): string {
    return nodeLabel({ name: this.#options.nodeName, nodeId: this.#membership.nodeId });
  }

  /** Takes leases over; this node settles poison messages as dead. */
  async takeOver(
    from: Parameters<EngineOptions["store"]["takeOver"]>[0]["from"],
  ): Promise<TakeOver> {
    const { store, clock } = this.#options;
    const nodeId = this.#membership.nodeId;
    const taken = await store.takeOver({ nodeId, ...clock.time(), from });
    for (const leased of taken.poison) await this.#settleAsDead(leased);
    return taken;
  }

  /** A lease whose claim's reply was lost is in no node's memory, so it would never be settled. */
  async #disown(before: Instant): Promise<void> {
    const { store } = this.#options;
    const leases = await store.reader.upkeep.leases(this.#membership.nodeId, before);
    for (const lease of leases) {
      if (!this.#dispatcher.has(lease.messageId)) await this.#settler.handBack({ lease });
    }
  }

  async #settleAsDead(leased: LeasedMessage): Promise<void> {
    const now = this.#options.clock.now();
    const attempt: Attempt = {
      number: leased.attempts + 1,
      startedAt: now,
      endedAt: now,
      outcome: { kind: "no-answer", error: POISON_ERROR, final: true },
    };
    await this.#settler.settle(leased, attempt);
  }
}

/** Monitoring that asks once a minute sees a lost node several times. */
const SHOWN_MS = 15 * 60_000;
const NODES_MAX = 100;

/** The nodes from which this one took over lately. */
export class LostNodes {
  readonly #clock: Clock;
  readonly #lostAt = new Map<SeenNode, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(nodes: readonly SeenNode[]): void {
    for (const node of nodes) this.#lostAt.set(node, this.#clock.monotonic());
    for (const node of [...this.#lostAt.keys()].slice(0, -NODES_MAX)) this.#lostAt.delete(node);
  }

  recent(): readonly SeenNode[] {
    const since = this.#clock.monotonic() - SHOWN_MS;
    for (const [node, lostAt] of this.#lostAt) if (lostAt < since) this.#lostAt.delete(node);
    return [...this.#lostAt.keys()];
  }
}

/**
 * Watches, where the operator demands it, that a commit waits for a synchronous standby. Deliveries
 * continue without one: what they record can at worst be lost, and then a message is sent again.
 */
class StandbyWatch {
  readonly #options: EngineOptions;
  #isMissing = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Nothing may be accepted, since a failover could lose it. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  async look(): Promise<void> {
    const { store, log, requiresStandby } = this.#options;
    if (!requiresStandby) return;
    const isMissing = (await store.reader.service.durability()) !== "standby";
    if (isMissing && !this.#isMissing) {
      log.error("PostgreSQL names no synchronous standby; publishing is refused");
    }
    if (!isMissing && this.#isMissing) {
      log.warn("PostgreSQL names a synchronous standby again; publishing is accepted");
    }
    this.#isMissing = isMissing;
  }
}
