import assert from "node:assert/strict";
import { lineKind } from "../../../src/core/model/line/line.ts";
import { type MessageState, NO_DELAY } from "../../../src/core/model/message/message.ts";
import type { ClaimRequest, LeasedMessage } from "../../../src/store/store.ts";
import { isSuspect, type ModelLines, sameLine, UNLIMITED } from "./model-lines.ts";
import { keyOf, type ModelStore } from "./model-store.ts";
import type { Reached } from "./reached.ts";

/**
 * What a claim may do. Which of several messages it takes is its own choice, so the model does not
 * choose: it says whether the choice was allowed, and follows it.
 */
export class ModelClaim {
  readonly #model: ModelStore;
  readonly #lines: ModelLines;
  readonly #reached: Reached;
  #admittedNow = new Set<string>();
  #latestAt = 0;

  constructor(model: ModelStore, lines: ModelLines, reached: Reached) {
    this.#model = model;
    this.#lines = lines;
    this.#reached = reached;
  }

  /** These went from their queues to their next lines. */
  admit(admitted: readonly MessageState[], now: number): void {
    this.#admittedNow = new Set(admitted.map(keyOf));
    const living = admitted.map((state) => this.#model.living.get(keyOf(state))!);
    for (const { state, position } of living.toSorted((a, b) => a.position - b.position)) {
      const what = `${state.messageId} admitted`;
      assert.ok(state.lineAfter !== null && state.readyAt <= now, `${what}, though not ready`);
      const limits = this.#lines.limits(state) ?? { ...UNLIMITED, parallelism: 1 };
      assert.ok(!limits.paused, `${what} by a paused queue`);
      const held = this.#lines.held(state.accountId, state.line);
      assert.ok(held < (limits.parallelism ?? Infinity), `${what} by a full queue`);
      const before = [...this.#model.living.values()].filter(
        (other) => sameLine(other.state, state) && other.position < position,
      );
      assert.ok(!before.some((other) => other.state.readyAt <= now), `${what} out of its turn`);
      this.#model.admittedFrom.set(keyOf(state), state.line);
      const { createdAt } = this.#model.facts.get(keyOf(state))!;
      const readyAt = state.readyAt === NO_DELAY ? Math.min(now, createdAt) : state.readyAt;
      const { line, lineAfter } = state;
      this.#model.change({ ...state, readyAt, line: lineAfter, lineAfter: null, queue: line });
      this.#reached.add("admitted by a queue");
    }
  }

  /** These went back into their queues, which were paused. */
  park(parked: readonly MessageState[], now: number): void {
    for (const state of parked) {
      const what = `${state.messageId} put back`;
      assert.ok(state.phase === "waiting" && state.readyAt <= now, `${what}, though not due`);
      assert.ok(this.#lines.isHeldBack(state), `${what} into a queue that is not paused`);
      const line = this.#model.admittedFrom.get(keyOf(state))!;
      this.#model.change({ ...state, readyAt: NO_DELAY, line, lineAfter: state.line });
      this.#reached.add("put back into a paused queue");
    }
  }

  /** These were leased. */
  lease(request: ClaimRequest, shownAt: number, leased: readonly LeasedMessage[]): void {
    const before = leased.map(({ lease }) => this.#before(lease));
    this.#model.log.push([]);
    const suspects = before.filter(isSuspect);
    if (suspects.length > 0) {
      assert.equal(suspects.length, 1, "several suspects leased at once");
      assert.ok(!this.#lines.suspectUnderWay(), "a suspect leased beside another");
      this.#reached.add("suspect leased");
    }
    leased.forEach((each, index) => this.#leaseOne(request, shownAt, each, before[index]!));
    this.#checkBudget(request, before);
    for (const state of before) {
      this.#lines.checkKey(state, request.now);
      this.#checkOrder(state, request);
      const cap = this.#model.caps.get(state.accountId) ?? null;
      const active = this.#lines.active((other) => other.accountId === state.accountId);
      assert.ok(
        cap === null || active <= cap,
        `${state.accountId} has more under way than its cap`,
      );
      if (active === cap) this.#reached.add("account at its cap");
    }
  }

  /** What an idle service would have to send now. A claim that leaves it forgot it. */
  leasable(now: number): string[] {
    const ready = this.#model.states().filter((state) => {
      if (state.phase !== "waiting" || state.readyAt > now) return false;
      return state.lineAfter === null ? this.#isOpen(state, now) : this.#isAdmissible(state);
    });
    return ready.map(({ messageId }) => messageId);
  }

  /**
   * When the earliest message could be leased by this node, if only time were missing. Retries are
   * left out unless there are slots for all of them.
   */
  nextLeasableAt(request: ClaimRequest, leased: readonly LeasedMessage[]): number | null {
    const { now } = request;
    const retriesToo = request.retrySlots >= this.#model.living.size;
    const instants = this.#model
      .states()
      .filter(({ phase }) => phase === "waiting")
      .filter(({ line }) => retriesToo || lineKind(line) !== "retry")
      .filter((state) => (this.#lines.limits(state)?.rate ?? null) === null)
      .filter((state) => hostRoom(request, state.host) > countHost(leased, state.host))
      .filter((state) =>
        state.lineAfter === null ? this.#isOpen(state, now) : this.#isAdmissible(state),
      )
      .map(({ readyAt }) => Math.max(now, readyAt));
    // Lines were put off by the clock of earlier claims, which may have been set back a little since.
    this.#latestAt = Math.max(this.#latestAt, now);
    return instants.length === 0 ? null : Math.max(this.#latestAt, Math.min(...instants));
  }

  #before(lease: LeasedMessage["lease"]): MessageState {
    const found = this.#model.living.get(keyOf(lease));
    assert.ok(found !== undefined, `${lease.messageId} leased, though it does not live`);
    return found.state;
  }

  #leaseOne(
    request: ClaimRequest,
    shownAt: number,
    leased: LeasedMessage,
    state: MessageState,
  ): void {
    const { nodeId, now } = request;
    const { accountId, messageId } = state;
    assert.equal(state.phase, "waiting", `${messageId} leased twice`);
    assert.ok(state.readyAt <= now, `${messageId} leased before it is ready`);
    assert.ok(!this.#lines.isHeldBack(state), `${messageId} leased, though its queue is paused`);
    assert.equal(
      state.lineAfter,
      null,
      `${messageId} leased, though its queue has not admitted it`,
    );
    const { message, body } = this.#model.facts.get(keyOf(state))!;
    const fence = state.fence + 1;
    const lease = { accountId, messageId, fence };
    const { attempts, host } = state;
    const plain = { ...leased, body: Buffer.from(leased.body) };
    assert.deepEqual(plain, { lease, message, body: Buffer.from(body), host, attempts });
    this.#model.change({ ...state, phase: "active", nodeId, leasedAt: now, fence });
    const entry = {
      accountId,
      messageId,
      at: shownAt,
      state: "ACTIVE",
      attempt: attempts + 1,
    } as const;
    this.#model.addEntry(entry);
    if (lineKind(state.line) === "key") this.#lines.startsOf(state).push(now);
  }

  #checkBudget(request: ClaimRequest, before: readonly MessageState[]): void {
    assert.ok(before.length <= request.slots, "more leased than there are slots");
    const retries = before.filter(
      (state) => lineKind(state.line) === "retry" && !isSuspect(state),
    ).length;
    assert.ok(retries <= request.retrySlots, "more retries leased than there are slots for them");
    for (const { host, messageId } of before) {
      const toHost = before.filter((other) => other.host === host).length;
      assert.ok(toHost <= hostRoom(request, host), `${messageId} leased, though its host is full`);
    }
    const bytes = before.reduce((sum, state) => sum + state.bytes, 0);
    const heavy = before.filter((state) => state.bytes > 0).length;
    assert.ok(heavy < 2 || bytes <= request.bytesMax, "more bytes leased than allowed");
  }

  /** No message that was ready earlier stays behind in the line, unless it had no free slot. */
  #checkOrder(state: MessageState, request: ClaimRequest): void {
    if (isSuspect(state) || request.bytesMax < 1_000 || request.slotsPerHost !== undefined) return;
    const left = this.#model
      .states()
      .filter(
        (other) =>
          other.phase === "waiting" &&
          sameLine(other, state) &&
          !isSuspect(other) &&
          !this.#admittedNow.has(keyOf(other)) &&
          !this.#lines.isHeldBack(other) &&
          !request.fullHosts.includes(other.host) &&
          (other.readyAt < state.readyAt ||
            (other.readyAt === state.readyAt && other.messageId < state.messageId)),
      );
    const names = left.map(({ messageId }) => messageId);
    assert.deepEqual(names, [], `${state.messageId} was leased before them`);
  }

  /** A queue may keep a message back while nothing more of its account may be sent. */
  #isAdmissible(state: MessageState): boolean {
    if (this.#isAtCap(state.accountId)) return false;
    const { parallelism, paused } = this.#lines.limits(state) ?? { ...UNLIMITED, parallelism: 1 };
    const full = this.#lines.held(state.accountId, state.line) >= (parallelism ?? Infinity);
    if (full && !paused) this.#reached.add("queue full");
    if (full && this.#lines.heldByCallback(state))
      this.#reached.add("slot held by a callback alone");
    return !full && !paused;
  }

  #isOpen(state: MessageState, now: number): boolean {
    if (this.#lines.isHeldBack(state)) return false;
    if (this.#isAtCap(state.accountId)) return false;
    if (isSuspect(state) && this.#lines.suspectUnderWay()) {
      this.#reached.add("suspect waits for another");
      return false;
    }
    if (lineKind(state.line) !== "key") return true;
    const { parallelism, rate, periodMs, paused } = this.#lines.limits(state) ?? UNLIMITED;
    const active = this.#lines.active((other) => sameLine(other, state));
    const recent = this.#lines.recent(state, now, periodMs);
    return !paused && active < (parallelism ?? Infinity) && recent < (rate ?? Infinity);
  }

  #isAtCap(accountId: string): boolean {
    const cap = this.#model.caps.get(accountId) ?? null;
    return cap !== null && this.#lines.active((other) => other.accountId === accountId) >= cap;
  }
}

/** Free slots of a host on the node that claims. */
function hostRoom({ fullHosts, slotsPerHost }: ClaimRequest, host: string): number {
  return fullHosts.includes(host) ? 0 : (slotsPerHost ?? Infinity);
}

function countHost(leased: readonly LeasedMessage[], host: string): number {
  return leased.filter((each) => each.host === host).length;
}
