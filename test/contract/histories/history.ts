import assert from "node:assert/strict";
import type { Act, AnswerOf } from "../../../src/core/rules/registry.ts";
import { isNextLeased } from "../../../src/core/rules/message/next-in-queue.ts";
import type { MessageKey, MessageState } from "../../../src/core/model/message/message.ts";
import type { ClaimRequest, LeasedMessage, Store } from "../../../src/store/store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { anAccount } from "../../support/messages.ts";
import type { StoreKind } from "../../support/stores.ts";
import { byMessageId, compareAll, compareNext, plain } from "./compare.ts";
import { MakeActs } from "./make-acts.ts";
import { ModelClaim } from "./model-claim.ts";
import { ModelLines } from "./model-lines.ts";
import { keyOf, ModelStore } from "./model-store.ts";
import type { Reached } from "./reached.ts";
import { ACCOUNTS, CAP, NODES, type Step } from "./step.ts";

/** Longer than any line waits before a claim looks at it again by itself. */
const QUIET_MS = 1_100;
const LOOK_MS = 100;

/** Plays steps on a store and on the model, and compares what can be seen of both. */
export async function playHistory(
  kind: StoreKind,
  steps: readonly Step[],
  reached: Reached,
): Promise<void> {
  const clock = new ManualClock();
  const opened = await kind.open(clock);
  try {
    const history = new History(opened.store, clock, reached);
    await history.begin();
    for (const step of steps) await history.take(step);
    await history.end();
  } finally {
    await opened.close();
  }
}

class History {
  readonly #store: Store;
  readonly #clock: ManualClock;
  readonly #reached: Reached;
  readonly #model = new ModelStore();
  readonly #lines: ModelLines;
  readonly #claims: ModelClaim;
  readonly #acts: MakeActs;

  constructor(store: Store, clock: ManualClock, reached: Reached) {
    this.#store = store;
    this.#clock = clock;
    this.#reached = reached;
    this.#lines = new ModelLines(this.#model, reached);
    this.#claims = new ModelClaim(this.#model, this.#lines, reached);
    // As the service: it shows a time that does not go back by a few milliseconds.
    this.#acts = new MakeActs(this.#model, store.clock, reached);
  }

  async begin(): Promise<void> {
    for (const accountId of ACCOUNTS) {
      const overrides = { parallelismMax: accountId === "two" ? CAP : null };
      const account = anAccount({ accountId, overrides });
      await this.#actTogether([{ rule: "add-account", account }]);
    }
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "acts":
        return this.#actTogether(step.acts.flatMap((act) => this.#acts.make(act)));
      case "claim": {
        const { node: nodeId, slots, fullHosts, bytesMax } = step;
        const retrySlots = Math.min(slots, step.retrySlots);
        const bound = step.slotsPerHost === null ? {} : { slotsPerHost: step.slotsPerHost };
        await this.#claim({ nodeId, slots, retrySlots, fullHosts, bytesMax, ...bound });
        if (fullHosts.length > 0) this.#reached.add("host full");
        return;
      }
      case "wait":
        return this.#clock.advance(step.ms);
      case "set-clock":
        this.#clock.step(step.ms);
        this.#reached.add(step.ms < 0 ? "clock stepped back" : "clock stepped forward");
        return;
      case "take-over":
        return this.#takeOver(step.heir, step.from, step.seenBefore);
      case "beat":
        return this.#beat(step.node);
      case "crashes":
        return this.#crash(step.times);
      case "sweep":
        return this.#sweep(step.ageMs);
      case "drain":
        return this.#drain();
    }
  }

  /** Everything that can still be sent is, and then both must look the same. */
  async end(): Promise<void> {
    await this.#drain();
    await compareAll(this.#store, this.#model, this.#acts.everMade, this.#clock.now());
  }

  async #actTogether(acts: readonly Act[]): Promise<void> {
    const time = this.#store.clock.time();
    const results = await Promise.allSettled(acts.map((act) => this.#store.act(act)));
    const numbers = await this.#deadLetterNumbers(acts);
    acts.forEach((act, index) => {
      const result = results[index]!;
      const passed = result.status === "fulfilled" ? passedIn(act, result.value) : null;
      const draw = (): number => {
        const number = act.rule === "settle" ? numbers.get(keyOf(act.lease)) : undefined;
        assert.ok(number !== undefined, "a dead letter is missing");
        return number;
      };
      const answered = result.status === "fulfilled" ? result.value : null;
      const next = isNextLeased(answered) ? answered.next : null;
      const expected = this.#model.act(act, time, draw, { isOpen: passed !== null, next });
      const shown = result.status === "fulfilled" ? { answer: plain(result.value) } : null;
      const why = result.status === "rejected" ? String(result.reason) : "";
      assert.deepEqual(shown, expected && { answer: plain(expected.answer) }, `${act.rule} ${why}`);
      if (expected === null && acts.length > 1) this.#reached.add("act refused beside others");
      if (expected !== null) this.#acts.answered(act, expected.answer);
      if (passed !== null) this.#lines.pass(passed, time.now + time.aheadMs);
      if (next !== null) this.#lines.follow(next, time.now + time.aheadMs);
    });
    await compareNext(this.#store, this.#model, results);
  }

  /** The numbers are the store's to draw; everything else about a dead letter is not. */
  async #deadLetterNumbers(acts: readonly Act[]): Promise<Map<string, number>> {
    const numbers = new Map<string, number>();
    if (!acts.some((act) => act.rule === "settle" && act.verdict.kind === "dead")) return numbers;
    for (const accountId of ACCOUNTS) {
      const page = { after: null, count: 1_000, order: "latestFirst" } as const;
      const { items } = await this.#store.reader.deadLetters.list(accountId, {}, page);
      for (const { deadLetter } of items) numbers.set(keyOf(deadLetter), deadLetter.number);
    }
    return numbers;
  }

  async #claim(wish: Partial<ClaimRequest>): Promise<readonly LeasedMessage[]> {
    const time = this.#store.clock.time();
    const now = time.now + time.aheadMs;
    const request: ClaimRequest = {
      nodeId: "n1",
      ...time,
      slots: 100,
      retrySlots: 100,
      bytesMax: 1_000_000,
      fullHosts: [],
      ...wish,
    };
    const { leased, nextAt } = await this.#store.claim(request);
    this.#claims.park(await this.#parked(), now);
    this.#claims.admit(await this.#admitted(), now);
    this.#claims.lease({ ...request, now }, time.now, leased);
    this.#acts.hold(leased);
    const expectedAt = this.#claims.nextLeasableAt({ ...request, now }, leased);
    const isSeen = expectedAt === null || (nextAt !== null && nextAt <= expectedAt + LOOK_MS);
    assert.ok(isSeen, "nobody will look again");
    if (request.bytesMax < 1_000 && this.#claims.leasable(now).length > 0) {
      this.#reached.add("bytes short");
    }
    return leased;
  }

  /** Those that stood in their queues before, and do no longer. */
  async #admitted(): Promise<MessageState[]> {
    const queued = this.#model.states().filter(({ lineAfter }) => lineAfter !== null);
    const found = await Promise.all(queued.map((state) => this.#store.reader.messages.get(state)));
    return queued.filter((_, index) => found[index]?.state?.lineAfter === null);
  }

  /** Those that had left their queues, and stand in them again. */
  async #parked(): Promise<MessageState[]> {
    const gone = this.#model.states().filter(({ lineAfter }) => lineAfter === null);
    const roots = gone.filter(({ rootId, messageId }) => rootId === messageId);
    const found = await Promise.all(roots.map((state) => this.#store.reader.messages.get(state)));
    return roots.filter((_, index) => (found[index]?.state?.lineAfter ?? null) !== null);
  }

  async #takeOver(
    heir: string,
    from: readonly string[] | null,
    seenBefore: boolean,
  ): Promise<void> {
    const time = this.#store.clock.time();
    const named = (from ?? NODES).filter((nodeId) => nodeId !== heir);
    const beats = (nodeId: string) => this.#model.nodes.get(nodeId) ?? 0;
    const gone = named.map((nodeId) => ({
      nodeId,
      beats: Math.max(0, beats(nodeId) - Number(seenBefore)),
    }));
    const taken = await this.#store.takeOver({
      nodeId: heir,
      ...time,
      from: from ? gone : "others",
    });
    const spared = new Set(
      gone.filter((dead) => from && beats(dead.nodeId) > dead.beats).map(({ nodeId }) => nodeId),
    );
    if (spared.size > 0) this.#reached.add("node spared by its beat");
    const isGone = (nodeId: string) => named.includes(nodeId) && !spared.has(nodeId);
    const expected = this.#model.takeOver(heir, time, isGone);
    for (const nodeId of named) if (isGone(nodeId)) this.#model.nodes.delete(nodeId);
    const { waiting, canceled } = taken;
    assert.deepEqual(
      { waiting, canceled },
      { waiting: expected.waiting, canceled: expected.canceled },
    );
    const leases = taken.poison.map(({ lease, attempts }) => ({ ...lease, attempts }));
    const wanted = expected.poison.map(({ accountId, messageId, fence, attempts }) => ({
      accountId,
      messageId,
      fence,
      attempts,
    }));
    assert.deepEqual(leases.toSorted(byMessageId), wanted.toSorted(byMessageId));
    this.#acts.hold(taken.poison);
    this.#reached.add("lease lost", waiting);
    this.#reached.add("canceled when lost", canceled);
  }

  /** A node that dies over one message again and again; what else it had it hands back in time. */
  async #crash(times: number): Promise<void> {
    let culprit: string | null = null;
    for (let time = 0; time < times; time++) {
      const leased = await this.#claim({ nodeId: "n2" });
      culprit ??= leased[0] ? keyOf(leased[0].lease) : null;
      const others = leased.filter(({ lease }) => keyOf(lease) !== culprit);
      const at = this.#clock.now();
      await this.#actTogether(others.map(({ lease }) => ({ rule: "hand-back", at, lease })));
      await this.#takeOver("n1", ["n2"], false);
    }
    await this.#actTogether(this.#acts.buryPoison());
  }

  async #beat(nodeId: string): Promise<void> {
    const { nodes } = await this.#store.beat(nodeId);
    // A store may name nodes that have leases and never beat, so that another node takes the leases
    // over.
    const beaten = new Map(
      nodes.filter(({ beats }) => beats > 0).map((node) => [node.nodeId, node.beats]),
    );
    if (beaten.has(nodeId)) {
      this.#model.nodes.set(nodeId, (this.#model.nodes.get(nodeId) ?? 0) + 1);
    }
    assert.deepEqual(beaten, this.#model.nodes);
  }

  async #sweep(ageMs: number): Promise<void> {
    const now = this.#clock.now();
    const before = now - ageMs;
    while ((await this.#store.sweep({ now, countsBefore: 0, keysBefore: 0, pageMax: 3 })).more);
    for (const accountId of ACCOUNTS) await this.#sweepAccount(accountId, now, before);
    for (const message of this.#model.sweep(now, before)) {
      if ((await this.#store.reader.messages.get(message)) === null) {
        this.#model.forget(message);
        this.#reached.add("swept");
      } else this.#requireYoung(message, before);
    }
  }

  async #sweepAccount(accountId: string, now: number, before: number): Promise<void> {
    const ages = { endedBefore: before, deadLettersBefore: before, surplusBefore: null };
    for (let after: string | null = ""; after !== null;) {
      const request = { accountId, now, ...ages, after, pageMax: 3 };
      ({ after } = await this.#store.sweepAccount(request));
    }
  }

  /** After the clock stepped back, an old message may stand behind a younger one for a while. */
  #requireYoung(message: MessageKey, endedBefore: number): void {
    const young = [...this.#model.facts.values()].some(({ createdAt }) => createdAt >= endedBefore);
    assert.ok(young, `${message.messageId} is old, and was not swept`);
  }

  /** Once all is quiet, a claim that may take everything leaves nothing that could go. */
  async #drain(): Promise<void> {
    this.#clock.advance(QUIET_MS);
    for (let claims = 0; (await this.#claim({})).length > 0; claims++) {
      assert.ok(claims < 100, "claims never end");
    }
    assert.deepEqual(
      this.#claims.leasable(this.#store.clock.due()),
      [],
      "left behind though nothing holds them",
    );
  }
}

/** The message that an act has stored already leased, as the store answers. */
function passedIn(act: Act, answer: unknown): MessageKey | null {
  if (act.rule !== "publish") return null;
  const [item] = act.items;
  const [{ deduplicated, waits } = { deduplicated: true }] = answer as AnswerOf<typeof act>;
  const isPassed = item?.nodeId !== undefined && !deduplicated && waits !== true;
  return isPassed ? item.message.state : null;
}
