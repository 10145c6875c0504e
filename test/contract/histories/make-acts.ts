import type { Act } from "../../../src/core/rules/registry.ts";
import type { CancelAnswer } from "../../../src/core/rules/message/cancel.ts";
import type { PublishAct, PublishAnswer } from "../../../src/core/rules/message/publish.ts";
import type { DeadLetterKey } from "../../../src/core/model/message/dead-letter.ts";
import { decodeFacts } from "../../../src/core/model/message/settings.ts";
import type { Instant } from "../../../src/core/model/time.ts";
import { queueLine } from "../../../src/core/model/line/line.ts";
import type { GrantedLease, MessageKey } from "../../../src/core/model/message/message.ts";
import { isNextLeased } from "../../../src/core/rules/message/next-in-queue.ts";
import type { Verdict } from "../../../src/core/rules/message/judge.ts";
import type { LeasedMessage } from "../../../src/store/store.ts";
import type { DueClock } from "../../../src/platform/clock.ts";
import { aCallback, aNewMessage, aSettlement, bytes } from "../../support/messages.ts";
import { limitOf, removalOf, usesOf } from "./make-limits.ts";
import { keyOf, type ModelStore } from "./model-store.ts";
import { isPlayed } from "./played-acts.ts";
import type { Reached } from "./reached.ts";
import type { ActStep } from "./step.ts";

type StepOf<Name extends ActStep["do"]> = Extract<ActStep, { do: Name }>;

/** Makes acts of steps, from what is at hand: leases held now or once, letters, messages that live. */
export class MakeActs {
  readonly everMade: MessageKey[] = [];
  readonly #model: ModelStore;
  readonly #clock: DueClock;
  readonly #reached: Reached;
  readonly #held: LeasedMessage[] = [];
  readonly #released: LeasedMessage[] = [];
  readonly #lettersGone: DeadLetterKey[] = [];
  #drawn = 0;

  constructor(model: ModelStore, clock: DueClock, reached: Reached) {
    this.#model = model;
    this.#clock = clock;
    this.#reached = reached;
  }

  hold(leased: readonly LeasedMessage[]): void {
    this.#held.push(...leased);
  }

  /** Poison is leased only to be settled as dead, at once. */
  buryPoison(): Act[] {
    const poison = this.#held.filter(({ lease }) => lease.fence >= 2 * POISON_LOSSES);
    const step = {
      do: "settle",
      which: 0,
      old: false,
      verdict: "dead",
      waitMs: 0,
      next: undefined,
    } as const;
    return poison.map((leased) => this.#settle(step, leased));
  }

  /** None when there is nothing at hand to act on. */
  make(step: ActStep): Act[] {
    const at = this.#clock.now();
    switch (step.do) {
      case "publish":
        return [this.#publish(step)];
      case "settle":
        return this.#lease(step).map((leased) => this.#settle(step, leased));
      case "pass":
        return this.#pass(step);
      case "hand-back":
        return this.#lease(step).map(({ lease }) => ({ rule: "hand-back", at, lease }));
      case "cancel":
        return [this.#cancel(step)];
      case "send-now":
        return one(this.#model.states(), step.which).map((key) =>
          step.isOfMany
            ? { rule: "send-many-now", at, messages: [{ key, dueAt: at + step.waitMs }] }
            : { rule: "send-now", at, key },
        );
      case "remove-letter":
      case "retry-letter":
        return this.#letter(step);
      case "limit":
        return [limitOf(step, at)];
      case "remove-queue":
        return [removalOf(step, at)];
    }
  }

  /** Learns from an answer what is at hand from now on. */
  answered(act: Act, answer: unknown): void {
    if (!isPlayed(act)) return;
    switch (act.rule) {
      case "publish":
        return this.#published(act, answer as readonly PublishAnswer[]);
      case "settle":
        this.#release(act.lease);
        this.#reached.add(answer === "stale" ? "stale settlement" : goalOf(act.verdict));
        if (answer === "settled" || isNextLeased(answer)) this.#settled(act);
        if (isNextLeased(answer)) this.#follows(answer.next);
        return;
      case "hand-back":
        this.#release(act.lease);
        if (answer === "waiting") this.#reached.add("handed back");
        return;
      case "cancel": {
        const { canceled, inFlight } = answer as CancelAnswer;
        this.#reached.add("canceled at once", canceled - inFlight);
        this.#reached.add("canceled under way", inFlight);
        return;
      }
      case "send-now":
        if (answer === "due") this.#reached.add("sent before it was due");
        return;
      case "send-many-now":
        this.#reached.add("sent with others before it was due", answer as number);
        return;
      case "remove-dead-letters":
        return this.#lettersRemoved(answer as readonly DeadLetterKey[]);
      case "retry-dead-letter":
        if (answer !== null) this.#lettersGone.push(act.key);
        this.#reached.add(answer === null ? "dead letter retried twice" : "dead letter retried");
        return;
    }
  }

  #follows({ accountId, messageId, fence, host, attempts }: GrantedLease): void {
    const lease = { accountId, messageId, fence };
    const { message, body } = this.#model.facts.get(keyOf(lease))!;
    this.#held.push({ lease, message, body, host, attempts });
  }

  #lettersRemoved(keys: readonly DeadLetterKey[]): void {
    this.#lettersGone.push(...keys);
    this.#reached.add("dead letter removed", keys.length);
  }

  #publish(step: StepOf<"publish">): Act {
    const createdAt = this.#clock.now();
    const { account: accountId, queue, key, callback } = step;
    const taken = [...this.#model.facts.values()].find(
      ({ message }) => step.idTaken && message.accountId === accountId,
    );
    const isFree = queue === undefined && key === undefined;
    const slotOn = step.delayMs === 0 ? step.leasedBy : undefined;
    const leasedBy = isFree && accountId === "one" ? slotOn : undefined;
    const message = aNewMessage({
      accountId,
      messageId: taken?.message.messageId ?? this.#draw(accountId),
      url: `https://${step.host}/`,
      createdAt,
      notBefore: createdAt + step.delayMs,
      body: bytes("x".repeat(step.bytes)),
      ...(queue === undefined ? {} : { queueName: queue }),
      ...(key === undefined ? {} : { flowControl: { key, periodMs: 25 } }),
      ...(callback === undefined ? {} : { callback: aCallback({ delayMs: callback }) }),
      ...(step.failureCallback ? { failureCallback: aCallback() } : {}),
      ...(leasedBy === undefined ? {} : { leasedBy }),
    });
    const deduplication =
      step.deduplication === undefined
        ? null
        : { key: step.deduplication, expiresAt: createdAt + step.expiresMs };
    const used = { ...message, uses: usesOf(step) };
    const nodeId = isFree ? undefined : slotOn;
    return { rule: "publish", at: createdAt, items: [{ message: used, deduplication, nodeId }] };
  }

  #published(act: PublishAct, answers: readonly PublishAnswer[]): void {
    act.items.forEach(({ message, deduplication, nodeId }, index) => {
      const { deduplicated, waits } = answers[index]!;
      if (deduplicated) return this.#reached.add("deduplicated");
      if (waits === true) this.#reached.add("published in vain for a slot");
      if (deduplication !== null && this.#takenBefore.has(deduplication.key)) {
        this.#reached.add("deduplication key taken again");
      }
      if (deduplication !== null) this.#takenBefore.add(deduplication.key);
      const { accountId, messageId, phase, host } = message.state;
      const isPassed = nodeId !== undefined && waits !== true;
      if (phase === "waiting" && !isPassed) return;
      this.#reached.add("published under way");
      const lease = { accountId, messageId, fence: 1 };
      const { body, facts } = message;
      this.#held.push({ lease, message: decodeFacts(facts), body, host, attempts: 0 });
    });
  }

  readonly #takenBefore = new Set<string>();

  #settle(step: StepOf<"settle">, leased: LeasedMessage): Act {
    const at = this.#clock.now();
    const verdict: Verdict =
      step.verdict === "retry"
        ? { kind: "retry", readyAt: at + step.waitMs }
        : { kind: step.verdict };
    const { accountId } = leased.lease;
    const follow = {
      callbackId: this.#draw(accountId),
      failureCallbackId: this.#draw(accountId),
    };
    const act = aSettlement(leased, { at, verdict, follow, attempt: { body: bytes("answer") } });
    return { ...act, next: this.#next(step, leased, at) };
  }

  #pass({ which, next }: StepOf<"pass">): Act[] {
    const inQueue = this.#held.filter(({ message: { queueName, rootId, messageId, settings } }) => {
      return queueName !== undefined && rootId === messageId && settings.callback === undefined;
    });
    const step = { do: "settle", which: 0, old: false, verdict: "delivered", waitMs: 0 } as const;
    return one(inQueue.slice(-RECENT), which).map((leased) =>
      this.#settle({ ...step, next }, leased),
    );
  }

  #next(
    { next }: Pick<StepOf<"settle">, "next">,
    { message, host }: LeasedMessage,
    leasedAt: Instant,
  ) {
    if (next === undefined || message.queueName === undefined) return undefined;
    const queue = queueLine(message.queueName);
    const { node: nodeId, bytesMax } = next;
    return { queue, nodeId, leasedAt, host: next.host ?? host, bytesMax };
  }

  #settled(act: Extract<Act, { rule: "settle" }>): void {
    const canceled = this.#model.log
      .flat()
      .some(
        ({ messageId, state }) => messageId === act.lease.messageId && state === "CANCEL_REQUESTED",
      );
    if (canceled) this.#reached.add("delivered though canceled");
    if (act.source?.message.settings.callback) this.#reached.add("callback made");
    if (act.verdict.kind !== "dead") return;
    if (act.source?.message.settings.failureCallback) this.#reached.add("failure callback made");
    if (act.lease.fence >= 2 * POISON_LOSSES) this.#reached.add("poison buried");
  }

  #cancel(step: StepOf<"cancel">): Act {
    const states = this.#model.states().filter(({ phase }) => !step.active || phase === "active");
    const keys = step.which.flatMap((index) => one(states, index));
    // One act is one account's.
    const accountId = keys[0]?.accountId;
    return {
      rule: "cancel",
      at: this.#clock.now(),
      keys: keys.filter((key) => key.accountId === accountId),
    };
  }

  #letter({ do: what, which, old }: StepOf<"remove-letter" | "retry-letter">): Act[] {
    const letters = old ? this.#lettersGone : [...this.#model.deadLetters.values()];
    const letter = letters[which % Math.max(1, letters.length)];
    if (letter === undefined) return [];
    const { accountId, diedAt, number } = letter;
    const key = { accountId, diedAt, number };
    if (what === "remove-letter") return [{ rule: "remove-dead-letters", keys: [key, key] }];
    const createdAt = this.#clock.now();
    const message = aNewMessage({ accountId, messageId: this.#draw(accountId), createdAt });
    return [{ rule: "retry-dead-letter", at: createdAt, key, message }];
  }

  /** One of the latest: those taken long ago have mostly been lost. */
  #lease({ which, old }: { which: number; old: boolean }): readonly LeasedMessage[] {
    return one((old ? this.#released : this.#held).slice(-RECENT), which);
  }

  #release(lease: LeasedMessage["lease"]): void {
    const index = this.#held.findIndex(
      (held) => held.lease.messageId === lease.messageId && held.lease.fence === lease.fence,
    );
    if (index !== -1) this.#released.push(...this.#held.splice(index, 1));
  }

  #draw(accountId: string): string {
    const messageId = `m${String(++this.#drawn).padStart(4, "0")}`;
    this.everMade.push({ accountId, messageId });
    return messageId;
  }
}

const RECENT = 4;
const POISON_LOSSES = 13;

function goalOf({ kind }: Verdict): "delivered" | "retried" | "dead" {
  return kind === "retry" ? "retried" : kind;
}

const one = <Item>(items: readonly Item[], which: number): readonly Item[] =>
  items.length === 0 ? [] : [items[which % items.length]!];
