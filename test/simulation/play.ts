import type { Outcome } from "../../src/core/model/message/attempt.ts";
import { keyLine } from "../../src/core/model/line/line.ts";
import type { Message } from "../../src/core/model/message/message.ts";
import { publishItem } from "../../src/core/rules/message/compose.ts";
import { FIRST_FENCE } from "../../src/core/rules/message/compose-message.ts";
import { hostOf } from "../../src/core/policy/egress/read-destination.ts";
import type { Delivery } from "../../src/delivery/courier.ts";
import { createIds } from "../../src/platform/ids.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { aLimit, anAccount } from "../support/messages.ts";
import { Chance } from "./chance.ts";
import { Halts } from "./halts.ts";
import { type Ledger, violationsOf } from "./ledger.ts";
import { SimulatedNode, type World } from "./node.ts";
import { SimulatedTime } from "./simulated-clock.ts";

export interface Played {
  readonly violations: readonly string[];
  readonly reached: Readonly<Record<string, number>>;
}

const FAULT_PHASE_MS = 45_000;
const QUIET_PHASE_MS = 150_000;
const ACCOUNTS = ["one", "two"];
const HOSTS = ["a.test", "b.test", "c.test"];

/** One history: a phase with faults, then a quiet one in which everything must come to its end. */
export async function play(seed: number): Promise<Played> {
  const chance = new Chance(seed);
  const time = new SimulatedTime();
  const ledger: Ledger = { published: new Map(), sent: [], canceled: new Set(), faults: [] };
  const calm = chance.happens(0.2);
  const store = await openStore(time);
  let faultRate = calm ? 0 : chance.fraction() * 0.05;
  const world: World = {
    time,
    chance,
    store,
    get storeFaults() {
      return faultRate;
    },
    answer: (delivery) => answer(delivery, chance, ledger, time),
    onAttempt: () => undefined,
  };
  const halts = new Halts(world);
  const nodes: SimulatedNode[] = [];
  const startNode = (): void => {
    const node = new SimulatedNode(world, calm ? 0 : chance.below(4_000) - 2_000, () => undefined);
    nodes.push(node);
    void startUntilUp(node, nodes, time);
  };
  for (let count = 1 + chance.below(3); count > 0; count--) startNode();

  const publishing = new AbortController();
  const count = 5 + chance.below(25);
  const mayLease = (accountId: string): boolean => !halts.isHalted(accountId);
  void publishMessages(world, ledger, nodes, count, mayLease).finally(() => publishing.abort());
  const endOfFaults = time.now + FAULT_PHASE_MS;
  while (!publishing.signal.aborted || time.now < endOfFaults) {
    await time.runUntil(time.now + 1 + chance.below(6_000));
    if (chance.happens(0.15)) await halts.turn(chance.pick(ACCOUNTS));
    if (!calm && chance.happens(0.3)) {
      const victim = nodes[chance.below(nodes.length)]!;
      victim.kill();
      nodes.splice(nodes.indexOf(victim), 1);
      ledger.faults.push(time.now);
      startNode();
    }
  }
  if (faultRate > 0) ledger.faults.push(time.now);
  const hadFaults = faultRate > 0;
  faultRate = 0;
  await halts.resumeAll();
  await time.runUntil(time.now + QUIET_PHASE_MS);
  const { violations, reached } = await violationsOf(ledger, store, { exact: calm, hadFaults });
  violations.push(...halts.violations(ledger.sent));
  for (const node of nodes) node.kill();
  await store.close();
  return { violations, reached: { ...reached, halts: halts.all.length } };
}

/** A store with two accounts, each of which has a key that lets two through at once. */
async function openStore(time: SimulatedTime): Promise<SqliteStore> {
  const store = await SqliteStore.open({
    path: ":memory:",
    clock: time.clock(),
    onFatal: (error) => {
      throw error;
    },
  });
  for (const accountId of ACCOUNTS) {
    await store.act({ rule: "add-account", account: anAccount({ accountId }) });
    const limits = { parallelism: 2, rate: null, periodMs: 1000, paused: false };
    await store.act(aLimit(time.now, { accountId, line: keyLine("slow") }, limits));
  }
  return store;
}

/** A process whose start fails ends, and another one is started in its place. */
export async function startUntilUp(
  first: SimulatedNode,
  nodes: SimulatedNode[],
  time: SimulatedTime,
): Promise<void> {
  for (let node = first; ;) {
    try {
      await node.engine.start();
      return;
    } catch {
      await time.clock().sleep(500);
    }
    const index = nodes.indexOf(node);
    // It was killed, and what killed it started another one.
    if (index === -1) return;
    node = node.successor();
    nodes[index] = node;
  }
}

function answer(
  { message, retried }: Delivery,
  chance: Chance,
  ledger: Ledger,
  time: SimulatedTime,
): { outcome: Outcome; afterMs: number } {
  const good = chance.happens(0.55);
  const silent = !good && chance.happens(0.4);
  const afterMs = chance.happens(0.05) ? 20_000 : chance.below(800);
  const outcome: Outcome = silent
    ? { kind: "no-answer", error: "refused", final: false }
    : { kind: "answer", status: good ? 200 : 500, headers: [], body: new Uint8Array(0) };
  ledger.sent.push({
    accountId: message.accountId,
    messageId: message.messageId,
    retried,
    at: time.now,
    endsAt: time.now + afterMs,
    good,
    kind: message.kind,
  });
  return { outcome, afterMs };
}

async function publishMessages(
  world: World,
  ledger: Ledger,
  nodes: readonly SimulatedNode[],
  count: number,
  mayLease: (accountId: string) => boolean,
): Promise<void> {
  const { chance, time, store } = world;
  const ids = createIds();
  for (let made = 0; made < count; made++) {
    await time.clock().sleep(chance.below(2_500));
    const message = drawMessage(world, ids.sortable("msg_", time.now));
    ledger.published.set(message.messageId, message);
    await publish(world, message, mayLease(message.accountId) ? nodes : []);
    if (!chance.happens(0.1)) continue;
    await time.clock().sleep(chance.below(3_000));
    const { canceled } = await store.act({ rule: "cancel", at: time.now, keys: [message] });
    if (canceled === 1) ledger.canceled.add(message.messageId);
  }
}

/** On some node, which sends the message at once when it has a slot and the lines have room. */
async function publish(
  { chance, time, store }: World,
  message: Message,
  nodes: readonly SimulatedNode[],
): Promise<void> {
  const { accountId, messageId, url, queueName, settings } = message;
  const isInLine = queueName !== undefined || settings.flowControl !== undefined;
  const [host, body] = [hostOf(url), new Uint8Array(0)];
  const isDue = message.notBefore <= message.createdAt;
  const node = isDue && nodes.length > 0 ? chance.pick([...nodes]) : undefined;
  const slot = node?.engine.handOver.reserve({ accountId, host, bytes: 0, isInLine }) ?? null;
  const item = publishItem({ message, host, body, deduplication: null }, slot?.nodeId);
  const [stored] = await store.act({ rule: "publish", at: time.now, items: [item] });
  if (slot === null) return;
  const lease = { accountId, messageId, fence: FIRST_FENCE };
  if (stored?.waits === true) slot.release();
  else slot.start({ lease, message, body, host, attempts: 0 });
}

function drawMessage({ chance, time }: World, messageId: string): Message {
  const queueName = chance.happens(0.3) ? "orders" : undefined;
  return {
    accountId: chance.pick(ACCOUNTS),
    messageId,
    kind: "publish",
    dialect: "svc",
    url: `https://${chance.pick(HOSTS)}/hook`,
    method: "POST",
    headers: [],
    settings: {
      timeoutMs: 30_000,
      retries: chance.below(4),
      retryDelay: "1000 * (1 + retried)",
      callback: chance.happens(0.3) ? { ...REPORT, url: "https://callback.test/" } : undefined,
      failureCallback: chance.happens(0.5)
        ? { ...REPORT, url: "https://callback.test/failed" }
        : undefined,
      flowControl: chance.happens(0.3)
        ? { key: "slow", parallelism: 2, periodMs: 1000 }
        : undefined,
    },
    queueName,
    callerIp: "127.0.0.1",
    createdAt: time.now,
    notBefore: time.now + (chance.happens(0.3) ? chance.below(10_000) : 0),
    rootId: queueName === undefined ? undefined : messageId,
  };
}

const REPORT = {
  method: "POST",
  headers: [],
  timeoutMs: 30_000,
  retries: 8,
  retryDelay: "500",
  delayMs: 0,
} as const;
