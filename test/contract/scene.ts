import { describe, test } from "node:test";
import type { Act, AnswerOf } from "../../src/core/rules/registry.ts";
import type { PublishItem } from "../../src/core/rules/message/immediate-lease.ts";
import type { SettleAnswer } from "../../src/core/rules/message/settlement.ts";
import type { DeadLetter } from "../../src/core/model/message/dead-letter.ts";
import { type LineLimits, UNLIMITED } from "../../src/core/model/line/line.ts";
import type { LogEntry, LogState } from "../../src/core/model/message/log-entry.ts";
import type { MessageState } from "../../src/core/model/message/message.ts";
import { OWNER_OVERRIDES } from "../../src/core/policy/limits/limits.ts";
import type { StoredDeadLetter } from "../../src/store/reader/dead-letters.ts";
import type { LoggedMessage } from "../../src/store/reader/messages.ts";
import type {
  AccountSweepRequest,
  AccountSwept,
  Claim,
  ClaimRequest,
  LeasedMessage,
  Store,
  TakeOver,
  TakeOverRequest,
} from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import {
  anAccount,
  aLimit,
  aPublish,
  aPublishItem,
  aSettlement,
  type Ending,
  type MessageWish,
  START_AT,
} from "../support/messages.ts";
import { type StoreKind, STORES } from "../support/stores.ts";

type Body = (scene: Scene) => Promise<void>;

type Declare = (promise: (name: string, body: Body) => void) => void;

/** The same promises, asked of every store. A new driver keeps them all, or it is not a driver. */
export function contract(subject: string, declare: Declare): void {
  contractOf(STORES, subject, declare);
}

export function contractOf(kinds: readonly StoreKind[], subject: string, declare: Declare): void {
  for (const kind of kinds) {
    describe(`${subject}: ${kind.name}`, () => {
      declare((name, body) => {
        test(name, { skip: kind.skip }, async () => {
          const clock = new ManualClock(START_AT);
          const opened = await kind.open(clock);
          try {
            await body(new Scene(opened.store, clock));
          } finally {
            await opened.close();
          }
        });
      });
    });
  }
}

/** A store, a clock, and the few things that every story does with them. */
export class Scene {
  readonly store: Store;
  readonly clock: ManualClock;

  constructor(store: Store, clock: ManualClock) {
    this.store = store;
    this.clock = clock;
  }

  get now(): number {
    return this.clock.now();
  }

  act<A extends Act>(act: A): Promise<AnswerOf<A>> {
    return this.store.act(act);
  }

  /** An item made now; `delayMs` from now is when it becomes ready. */
  item(
    messageId: string,
    { delayMs = 0, ...wish }: MessageWish & { delayMs?: number } = {},
    deduplication: PublishItem["deduplication"] = null,
  ): PublishItem {
    const times = { createdAt: this.now, notBefore: this.now + delayMs };
    return aPublishItem({ messageId, ...times, ...wish }, deduplication);
  }

  /** Publishes one message, and answers its id. */
  async publish(messageId: string, wish: MessageWish & { delayMs?: number } = {}): Promise<string> {
    await this.act(aPublish(this.now, this.item(messageId, wish)));
    return messageId;
  }

  /** Publishes messages that differ only by their ids, in one act. */
  async publishAll(
    messageIds: readonly string[],
    wish: MessageWish & { delayMs?: number } = {},
  ): Promise<void> {
    await this.act(aPublish(this.now, ...messageIds.map((id) => this.item(id, wish))));
  }

  limit(line: string, limits: Partial<LineLimits>, accountId = "account"): Promise<string> {
    return this.act(aLimit(this.now, { accountId, line }, { ...UNLIMITED, ...limits }));
  }

  claimed(request: Partial<ClaimRequest> = {}): Promise<Claim> {
    return this.store.claim({
      nodeId: "node",
      ...this.store.clock.time(),
      slots: 100,
      retrySlots: 50,
      bytesMax: 100_000_000,
      fullHosts: [],
      ...request,
    });
  }

  async claim(request: Partial<ClaimRequest> = {}): Promise<readonly LeasedMessage[]> {
    return (await this.claimed(request)).leased;
  }

  /** The ids of what a claim leases, sorted where their order is not the point. */
  async claimIds(request: Partial<ClaimRequest> = {}): Promise<string[]> {
    return idsOf(await this.claim(request));
  }

  /** Claims the one message that is expected. */
  async claimOne(request: Partial<ClaimRequest> = {}): Promise<LeasedMessage> {
    const leased = await this.claim(request);
    if (leased.length !== 1)
      throw new Error(`one lease expected, not ${JSON.stringify(idsOf(leased))}`);
    return leased[0]!;
  }

  settle(
    leased: LeasedMessage,
    ending: Partial<Ending> & Pick<Ending, "verdict">,
  ): Promise<SettleAnswer> {
    return this.act(aSettlement(leased, { at: this.now, ...ending }));
  }

  deliver(leased: LeasedMessage): Promise<SettleAnswer> {
    return this.settle(leased, { verdict: { kind: "delivered" } });
  }

  kill(leased: LeasedMessage): Promise<SettleAnswer> {
    return this.settle(leased, { verdict: { kind: "dead" } });
  }

  retry(leased: LeasedMessage, waitMs: number): Promise<SettleAnswer> {
    return this.settle(leased, { verdict: { kind: "retry", readyAt: this.now + waitMs } });
  }

  handBack({ lease }: Pick<LeasedMessage, "lease">): Promise<string> {
    return this.act({ rule: "hand-back", at: this.now, lease });
  }

  cancel(...messageIds: readonly string[]): Promise<{ canceled: number; inFlight: number }> {
    const keys = messageIds.map((messageId) => ({ accountId: "account", messageId }));
    return this.act({ rule: "cancel", at: this.now, keys });
  }

  takeOver(request: Partial<TakeOverRequest> = {}): Promise<TakeOver> {
    return this.store.takeOver({
      nodeId: "heir",
      ...this.store.clock.time(),
      from: "others",
      ...request,
    });
  }

  /** Sweeps a page of what has ended by now. */
  sweepAccount(request: Partial<AccountSweepRequest> = {}): Promise<AccountSwept> {
    return this.store.sweepAccount({
      accountId: "account",
      now: this.now,
      endedBefore: this.now,
      deadLettersBefore: 0,
      surplusBefore: null,
      after: "",
      pageMax: 100,
      ...request,
    });
  }

  /** Loses a lease to a crash so many times, leaving the message waiting. */
  async lose(messageId: string, times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      const leased = await this.claim();
      if (!idsOf(leased).includes(messageId)) throw new Error(`${messageId} was not leased`);
      for (const other of leased)
        if (other.lease.messageId !== messageId) await this.handBack(other);
      await this.takeOver();
    }
  }

  async state(messageId: string, accountId = "account"): Promise<MessageState | null> {
    const stored = await this.store.reader.messages.get({ accountId, messageId });
    return stored?.state ?? null;
  }

  /** "waiting", "active", or the last thing the log says of one that has ended. */
  async phase(messageId: string, accountId = "account"): Promise<string | null> {
    const stored = await this.store.reader.messages.get({ accountId, messageId });
    return stored === null ? null : (stored.state?.phase ?? stored.lastEntry?.state ?? null);
  }

  async logged(accountId = "account"): Promise<readonly LoggedMessage[]> {
    const page = { after: null, count: 1000, order: "earliestFirst" } as const;
    return (await this.store.reader.messages.log(accountId, {}, page)).items;
  }

  async entries(messageId: string): Promise<LogEntry[]> {
    const all = (await this.logged()).map(({ entry }) => entry);
    return all.filter((entry) => entry.messageId === messageId);
  }

  async states(messageId: string): Promise<LogState[]> {
    return (await this.entries(messageId)).map(({ state }) => state);
  }

  async deadLetters(accountId = "account"): Promise<readonly StoredDeadLetter[]> {
    const page = { after: null, count: 1000, order: "earliestFirst" } as const;
    return (await this.store.reader.deadLetters.list(accountId, {}, page)).items;
  }

  /** Publishes a message and lets it die. */
  async bury(messageId: string, wish: MessageWish = {}): Promise<DeadLetter> {
    await this.publish(messageId, wish);
    await this.kill(await this.claimOne());
    const found = (await this.deadLetters(wish.accountId)).find(
      ({ deadLetter }) => deadLetter.messageId === messageId,
    );
    if (found === undefined) throw new Error(`${messageId} is not among the dead letters`);
    return found.deadLetter;
  }

  addAccount(accountId: string, parallelismMax: number | null = null): Promise<string> {
    const overrides = { ...OWNER_OVERRIDES, parallelismMax };
    return this.act({ rule: "add-account", account: anAccount({ accountId, overrides }) });
  }
}

export function idsOf(leased: readonly LeasedMessage[]): string[] {
  return leased.map(({ lease }) => lease.messageId);
}
