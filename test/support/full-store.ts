/** Fills a store as a busy account would have: waiting, held back, ended and dead messages, and runs. */
import { keyLine, queueLine } from "../../src/core/model/line/line.ts";
import type { Verdict } from "../../src/core/rules/message/judge.ts";
import { DEV_ACCOUNT_ID } from "../../src/operations/account/public-credentials.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import type { GrantedLease } from "../../src/core/model/message/message.ts";
import type { Store } from "../../src/store/store.ts";
import {
  aLeasedMessage,
  aLimit,
  aPublish,
  aPublishItem,
  aSettlement,
  type MessageWish,
} from "./messages.ts";
import { anEnd, aStart } from "./runs.ts";

export interface Filling {
  readonly messages: number;
  readonly runs: number;
  readonly accountId?: string;
}

const PAGE = 1_000;
const HOSTS = 100;
const DAY_MS = 86_400_000;
const NODE = "filling-node";
const ids = createIds();

/** Of ten messages four are delayed, two wait behind a key and two in a queue, one was canceled, one is dead. */
const KINDS = [
  "delayed",
  "delayed",
  "delayed",
  "delayed",
  "keyed",
  "keyed",
  "queued",
  "queued",
  "canceled",
  "dead",
] as const;
type Kind = (typeof KINDS)[number];

export async function fillStore(
  store: Store,
  { messages, runs, accountId = DEV_ACCOUNT_ID }: Filling,
): Promise<void> {
  const now = systemClock.now();
  for (const line of [keyLine("shut"), queueLine("shut")]) {
    await store.act(aLimit(now, { accountId, line }, { paused: true }));
  }
  // Each list has much of the other's before its own first row.
  const early = runs / 2;
  for (let made = 0; made < early; made += PAGE)
    await addRuns(store, accountId, Math.min(PAGE, early - made));
  for (let made = 0; made < messages; made += PAGE) {
    await addMessages(store, accountId, Math.min(PAGE, messages - made));
  }
  for (let made = early; made < runs; made += PAGE) {
    await addRuns(store, accountId, Math.min(PAGE, runs - made));
  }
}

async function addMessages(store: Store, accountId: string, count: number): Promise<void> {
  const at = systemClock.now();
  const made = Array.from({ length: count }, (_, index) => {
    const kind = KINDS[index % KINDS.length]!;
    return { kind, wish: wishOf(kind, accountId, at, `host-${index % HOSTS}.test`) };
  });
  await store.act(aPublish(at, ...made.map(({ wish }) => aPublishItem(wish))));
  const of = (kind: Kind): MessageWish[] =>
    made.filter((each) => each.kind === kind).map(({ wish }) => wish);
  const keys = of("canceled").map(({ messageId }) => ({ accountId, messageId: messageId! }));
  await store.act({ rule: "cancel", at, keys });
  await Promise.all(
    of("dead").map((wish) =>
      store.act(aSettlement(aLeasedMessage(wish), { at, verdict: { kind: "dead" } })),
    ),
  );
}

function wishOf(kind: Kind, accountId: string, at: number, host: string): MessageWish {
  const messageId = ids.sortable("msg_", at);
  const wish = { accountId, messageId, url: `https://${host}/`, createdAt: at, notBefore: at };
  if (kind === "keyed") return { ...wish, flowControl: { key: "shut", periodMs: 1_000 } };
  if (kind === "queued") return { ...wish, queueName: "shut", rootId: messageId };
  if (kind === "dead") return { ...wish, leasedBy: NODE };
  return { ...wish, notBefore: at + DAY_MS };
}

/** Of five runs three have failed, one has succeeded and one goes on. */
async function addRuns(store: Store, accountId: string, count: number): Promise<void> {
  const at = systemClock.now();
  const runs = Array.from({ length: count }, (_, index) => ({
    runId: ids.sortable("wfr_", at),
    number: index % 5,
  }));
  await Promise.all(
    runs.map(({ runId, number }) => {
      const start = aStart({ accountId, runId, createdAt: at }, { nodeId: NODE });
      return store.act(number === 4 ? { ...start, nodeId: null } : start);
    }),
  );
  const ended = runs.filter(({ number }) => number === 3);
  await Promise.all(
    ended.map(({ runId }) => store.act(anEnd(at, "success", { ref: { accountId, runId } }))),
  );
  const settle = async (settled: typeof runs, verdict: Verdict): Promise<void> => {
    const refs = settled.map(({ runId }) => firstLease(accountId, runId));
    const leased = await store.leased(refs);
    await Promise.all(leased.map((each) => store.act(aSettlement(each, { at, verdict }))));
  };
  const failed = runs.filter(({ number }) => number < 3);
  await settle(failed, { kind: "dead" });
  // A node holds no more leases than it has slots.
  await settle(ended, { kind: "delivered" });
}

function firstLease(accountId: string, runId: string): GrantedLease {
  return { accountId, messageId: `${runId}-0`, fence: 1, host: "", attempts: 0 };
}
