import type { Attempt } from "../../core/model/message/attempt.ts";
import { ABORTED } from "../../delivery/courier.ts";
import { Loop } from "../../platform/loop.ts";
import type { HandOver, SlotRequest, Slot } from "../../store/hand-over.ts";
import type { Claim, ClaimRequest, LeasedMessage } from "../../store/store.ts";
import { AccountBacklog, HostBacklog } from "./backlog.ts";
import { attemptNeeds } from "./attempt-needs.ts";
import { type Chore, watchedChore, failureFields } from "../chore.ts";
import type { DeliverySwitch } from "./delivery-switch.ts";
import type { EngineOptions } from "../engine-options.ts";
import { Entrance } from "./entrance.ts";
import { type LeaseAge, leaseAge } from "./lease-age.ts";
import type { Membership } from "../cluster/membership.ts";
import type { Settler } from "./settler.ts";
import { type Load, loadOf, Slots } from "./slots.ts";
import { type Next, type SlotForNext, SlotsForNext } from "./slots-for-next.ts";
import { UnderWay } from "./under-way.ts";

/** Delivers due messages: claim, send, settle. */
export class Dispatcher implements HandOver, Chore {
  readonly failure = "claim failed";
  readonly #options: EngineOptions;
  readonly #membership: Membership;
  readonly #settler: Settler;
  readonly #deliverySwitch: DeliverySwitch;
  readonly #slots: Slots;
  readonly #loop: Loop;
  readonly #underWay = new UnderWay();
  readonly #entrance: Entrance;
  readonly #next: SlotsForNext;
  readonly #pollMs: number;
  readonly #backlog = new AccountBacklog();
  /** Accounts and hosts for which the last claim may have left due messages behind. */
  #hostBacklog = new HostBacklog();
  /** Something has probably become due since the last claim. */
  #isRung = true;
  #stopping = false;
  #aborting = false;
  #emptied: (() => void)[] = [];

  constructor(
    options: EngineOptions,
    membership: Membership,
    settler: Settler,
    deliverySwitch: DeliverySwitch,
  ) {
    this.#options = options;
    this.#membership = membership;
    this.#settler = settler;
    this.#deliverySwitch = deliverySwitch;
    this.#slots = new Slots(options.limits);
    this.#entrance = new Entrance({
      turns: options.turns,
      slots: this.#slots,
      actsAwaitClaims: options.store.isOnlyWriter,
      underWay: this.#underWay,
      deliverySwitch,
      mayStart: () => this.#mayStart(),
      leaveHost: (load) => this.#leaveHost(load),
    });
    this.#next = new SlotsForNext(membership, this.#slots, {
      backlog: this.#backlog,
      hasBacklog: (load) => this.#hostBacklog.has(load),
      mayStart: () => this.#mayStart(),
    });
    this.#pollMs = options.alone ? ALONE_POLL_MS : SHARED_POLL_MS;
    const { runOnce, onError } = watchedChore(this, options.log);
    this.#loop = new Loop(options.clock, runOnce, onError);
    for (const bell of [options.bell, options.store.slotFreed]) bell.listen(() => this.#wake());
  }

  get slotsUsed(): number {
    return this.#slots.used;
  }

  start(): void {
    this.#loop.start();
  }

  reserve({ accountId, host, bytes, isInLine }: SlotRequest): Slot | null {
    const load: Load = { accountId, host, bytes, isRetry: false };
    const { hosts } = this.#slots;
    const mayOvertake = !this.#backlog.has(accountId) || (isInLine && hosts.hasPlenty(load));
    if (!mayOvertake || !this.#mayStart() || !this.#slots.hasSpareSlots(load)) {
      this.#backlog.add(accountId);
      return null;
    }
    this.#slots.take(load);
    hosts.earmark(load);
    const isTooOld = leaseAge(this.#options.machineClock);
    return {
      nodeId: this.#membership.nodeId,
      start: (leased) => {
        // The size was not always known before the message was stored.
        const grown = { ...load, bytes: leased.body.byteLength };
        hosts.releaseEarmark(load);
        this.#slots.release(load);
        this.#slots.take(grown);
        void this.#deliver(leased, grown, isTooOld);
      },
      release: () => {
        hosts.releaseEarmark(load);
        this.#free(load);
      },
    };
  }

  readonly obstacleFor: HandOver["obstacleFor"] = (message) => this.#slots.obstacleFor(message);

  /** Starts as many due messages as there are free slots. */
  async runOnce(): Promise<number> {
    const { store, clock, machineClock } = this.#options;
    if (!this.#mayStart()) return this.#pollMs;
    const { hosts, free, freeForRetries, bytesClaimable } = this.#slots;
    const slots = this.#entrance.claimable;
    if (slots <= 0) {
      // Due messages are claimed when a slot becomes free.
      this.#backlog.markAny();
      return this.#pollMs;
    }
    const request: ClaimRequest = {
      nodeId: this.#membership.nodeId,
      ...clock.time(),
      isLikely: this.#isRung,
      slots,
      retrySlots: freeForRetries,
      bytesMax: bytesClaimable,
      fullHosts: hosts.fullHosts(),
      slotsPerHost: hosts.initial,
      hostSlots: hosts.leftByHost(),
      hostShares: hosts.shares(),
    };
    const isTooOld = leaseAge(machineClock);
    this.#isRung = false;
    this.#backlog.beginClaim();
    const claim = await store.claim(request);
    const tooOld = isTooOld();
    for (const one of claim.leased) {
      if (tooOld || this.#stopping) await this.#settler.handBack(one);
      else this.#startClaimed(one);
    }
    this.#hostBacklog = new HostBacklog(request, claim.leased);
    const isCut = slots < free && claim.leased.length >= slots;
    return this.#waitMs(claim, isCut);
  }

  #wake(): void {
    this.#isRung = true;
    this.#loop.wake();
  }

  #mayStart(): boolean {
    return !this.#stopping && this.#membership.mayStart() && !this.#deliverySwitch.isOff;
  }

  #waitMs({ nextAt, linesPostponed, accountsDue }: Claim, isCut: boolean): number {
    const now = this.#options.clock.due();
    const isAny = isCut || (nextAt !== null && nextAt <= now);
    this.#backlog.endClaim(isAny, accountsDue);
    // A slot that became free during the claim has not woken the loop.
    if (isCut || this.#hostBacklog.hasRoom(this.#slots.hosts)) return 0;
    if (nextAt === null) return this.#pollMs;
    // Lines without a message to send must not delay those behind them.
    if (isAny && linesPostponed > 0) return 0;
    return Math.min(this.#pollMs, isAny ? BACKLOG_POLL_MS : nextAt - now);
  }

  has(messageId: string): boolean {
    return this.#underWay.has(messageId);
  }

  /** Ends attempts that other nodes may now make. Attempts outside keys and queues continue. */
  abortLimited(): void {
    this.#slots.hosts.dismissAll();
    this.#underWay.abortLimited();
  }

  /** Starts nothing more, waits for attempts in progress, and hands the rest back. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#slots.hosts.dismissAll();
    const cancelTimer = this.#options.clock.after(graceMs, () => {
      this.#aborting = true;
      this.#underWay.abortAll();
    });
    await this.#loop.stop();
    if (this.#slots.used > 0) {
      await new Promise<void>((resolve) => this.#emptied.push(resolve));
    }
    cancelTimer();
  }

  #startClaimed(leased: LeasedMessage): void {
    const load = loadOf(leased);
    this.#slots.take(load);
    void this.#deliver(leased, load, null);
  }

  /** One slot delivers one message, and after it one that is leased in its place. One that has not waited has an age. */
  async #deliver(leased: LeasedMessage, load: Load, isTooOld: LeaseAge | null): Promise<void> {
    let taken = load;
    const slot = this.#next.of(taken, isTooOld === null);
    let next = await this.#attempt(leased, taken, slot, isTooOld?.());
    while (next !== null) {
      if (!this.#mayStart()) break;
      this.#slots.release(taken);
      taken = loadOf(next);
      this.#slots.take(taken);
      next = await this.#attempt(next, taken, this.#next.of(taken, true));
    }
    if (next !== null) await this.#handBack(next);
    this.#free(taken);
  }

  /** The whole delivery of one message, from top to bottom. Returns the follow-up for its slot. */
  async #attempt(
    leased: LeasedMessage,
    load: Load,
    slot: SlotForNext,
    isOld = false,
  ): Promise<Next> {
    const { log, runLists } = this.#options;
    const { message, body } = leased;
    let next: Next = null;
    runLists.remember(message, body);
    try {
      const entered = !isOld && this.#entrance.enter(leased, load);
      const maySend = typeof entered === "boolean" ? entered : await entered;
      const attempt = maySend ? await this.#send(leased, load) : null;
      const settling = attempt === null ? null : this.#entrance.settling(load.accountId, attempt);
      if (settling !== null) await settling;
      if (attempt === null) await this.#handBack(leased);
      else next = await this.#settler.settle(leased, attempt, slot);
    } catch (error) {
      // The lease is disowned later and the message sent again: perhaps twice, but never lost.
      const { messageId } = message;
      log.error("delivery not settled", { messageId, ...failureFields(error) });
    }
    this.#underWay.end(message.messageId);
    return next;
  }

  /** Null when this node ended the attempt, or could not begin it. */
  async #send(leased: LeasedMessage, load: Load): Promise<Attempt | null> {
    const { hosts } = this.#slots;
    let attempt: Attempt | null;
    try {
      attempt = await this.#exchange(leased);
    } finally {
      this.#leaveHost(load);
    }
    if (attempt === null) return null;
    const { outcome } = attempt;
    if (outcome.kind === "answer") hosts.answered(load);
    else if (outcome.error === ABORTED) return null;
    else hosts.silent(load);
    return attempt;
  }

  async #exchange(leased: LeasedMessage): Promise<Attempt | null> {
    const { clock, courier } = this.#options;
    const { message, body, attempts } = leased;
    const needs = await attemptNeeds(this.#options, message);
    if (needs === null) return null;
    const startedAt = clock.now();
    const sending = courier.send({ message, body, retried: attempts, ...needs });
    this.#underWay.begin(leased, sending);
    if (this.#aborting) sending.abort();
    const outcome = await sending.outcome;
    return { number: attempts + 1, startedAt, endedAt: clock.now(), outcome };
  }

  async #handBack(leased: LeasedMessage): Promise<void> {
    await this.#settler.handBack(leased);
    this.#wake();
  }

  #leaveHost(load: Load): void {
    const { hosts } = this.#slots;
    hosts.leave(load);
    if (this.#hostBacklog.hasRoomAt(hosts, load.host)) this.#wake();
  }

  #free(load: Load): void {
    this.#slots.release(load);
    if (this.#backlog.isAny) this.#wake();
    if (this.#slots.used === 0) for (const done of this.#emptied.splice(0)) done();
  }
}

/** No other node can add work for a node alone, so it only polls in case it missed a bell. */
const ALONE_POLL_MS = 1_000;
const SHARED_POLL_MS = 150;
/** Messages are due without a free slot: a freed slot wakes the loop sooner. */
const BACKLOG_POLL_MS = 50;
