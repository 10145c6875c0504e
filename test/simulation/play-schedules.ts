import type { Outcome } from "../../src/core/model/message/attempt.ts";
import { OWNER_OVERRIDES } from "../../src/core/policy/limits/limits.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { anAccount } from "../support/messages.ts";
import { aPutSchedule, scheduleKey } from "../support/schedules.ts";
import { Chance } from "./chance.ts";
import { SimulatedNode, type World } from "./node.ts";
import { type Played, startUntilUp } from "./play.ts";
import { ScheduleBook } from "./schedule-book.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const FAULT_PHASE_MS = 150_000;
const QUIET_PHASE_MS = 60_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CRONS = [
  "* * * * *",
  "* * * * *",
  "*/7 * * * *",
  "0 * * * *",
  "CRON_TZ=Europe/Berlin 30 2 * * *",
  "0 0 * * 1",
];

/**
 * One history of schedules that users make, pause, replace and remove, while nodes die, clocks are
 * set, the store fails and the whole machine sleeps.
 */
export async function playSchedules(seed: number): Promise<Played> {
  const chance = new Chance(seed);
  const time = new SimulatedTime();
  const book = new ScheduleBook(() => time.now);
  const opened = await SqliteStore.open({ path: ":memory:", clock: time.clock(), onFatal });
  const store = readAlong(opened, book, time);
  for (const accountId of ACCOUNTS) {
    // Whatever is made is still to be found at the end, however long the machine slept.
    const overrides = { ...OWNER_OVERRIDES, logRetentionMs: 365 * DAY_MS };
    await store.act({ rule: "add-account", account: anAccount({ accountId, overrides }) });
  }
  const arrived = new Set<string>();
  const cluster = new Cluster({
    time,
    chance,
    store,
    storeFaults: chance.fraction() * 0.05,
    answer: ({ message }) => {
      arrived.add(message.messageId);
      return { outcome: GOOD, afterMs: chance.below(300) };
    },
    onAttempt: () => undefined,
  });
  for (let count = 1 + chance.below(3); count > 0; count--) cluster.startNode();
  const endOfFaults = time.now + FAULT_PHASE_MS;
  for (let awakeMs = 0; awakeMs < FAULT_PHASE_MS || time.now < endOfFaults;) {
    const stepMs = 1 + chance.below(8_000);
    await time.runUntil(time.now + stepMs);
    awakeMs += stepMs;
    cluster.suffer();
    if (chance.happens(0.5)) await useSchedules(cluster.world, book);
  }
  cluster.world.storeFaults = 0;
  // Not at the beginning of a minute, when the latest messages are under way.
  const lastMinuteAt = Math.ceil((time.now + QUIET_PHASE_MS) / MINUTE_MS) * MINUTE_MS;
  await time.runUntil(lastMinuteAt + MINUTE_MS / 2);
  const violations = [...book.violations, ...(await leftOver(store, book, time.now, arrived))];
  cluster.stop();
  await opened.close();
  return { violations, reached: { ...book.reached, ...cluster.reached } };
}

/** Nodes to which something happens now and then. */
class Cluster {
  readonly world: World & { storeFaults: number };
  readonly reached = { kills: 0, leaps: 0, steps: 0 };
  readonly #nodes: SimulatedNode[] = [];

  constructor(world: World & { storeFaults: number }) {
    this.world = world;
  }

  startNode(): void {
    const skewMs = this.world.chance.below(4_000) - 2_000;
    const node = new SimulatedNode(this.world, skewMs, () => undefined);
    this.#nodes.push(node);
    void startUntilUp(node, this.#nodes, this.world.time);
  }

  stop(): void {
    for (const node of this.#nodes) node.kill();
  }

  suffer(): void {
    const { chance, time } = this.world;
    const node = chance.pick(this.#nodes);
    const drawn = chance.fraction();
    if (drawn < 0.15) {
      node.kill();
      this.#nodes.splice(this.#nodes.indexOf(node), 1);
      this.reached.kills += 1;
      this.startNode();
    } else if (drawn < 0.3) {
      node.skewMs += (chance.below(2_400) - 1_200) * 1_000;
      this.reached.steps += 1;
    } else if (drawn < 0.4) {
      time.leap(
        chance.below(chance.pick([5 * MINUTE_MS, 200 * MINUTE_MS, 3 * DAY_MS, 9 * DAY_MS])),
      );
      this.reached.leaps += 1;
    }
  }
}

async function useSchedules({ chance, time, store }: World, book: ScheduleBook): Promise<void> {
  const known = [...book.schedules.values()];
  const at = time.now;
  if (known.length < 3 || chance.happens(0.2)) {
    const fields = { cron: chance.pick(CRONS), version: String(chance.below(1_000_000)) };
    const scheduleId = `s${chance.below(6)}`;
    await store.act(aPutSchedule(at, scheduleId, fields, chance.pick(ACCOUNTS)));
    return;
  }
  const { scheduleId, accountId, isPaused } = chance.pick(known);
  const key = scheduleKey(scheduleId, accountId);
  if (chance.happens(0.1)) await store.act({ rule: "remove-schedule", key });
  else await store.act({ rule: "pause-schedule", at, key, isPaused: !isPaused });
}

/** Nothing is due, the store says what the book says, and all that was made has arrived. */
async function leftOver(
  store: Store,
  book: ScheduleBook,
  now: number,
  arrived: ReadonlySet<string>,
): Promise<string[]> {
  const violations: string[] = [];
  for (const { accountId, scheduleId, nextAt, isPaused } of book.schedules.values()) {
    const stored = await store.reader.schedules.get({ accountId, scheduleId });
    const name = `${accountId} ${scheduleId}`;
    if (nextAt !== null && nextAt <= now) violations.push(`${name} was due at ${nextAt}`);
    if (stored?.schedule.nextAt !== nextAt || stored.schedule.isPaused !== isPaused) {
      violations.push(`${name} is stored otherwise`);
    }
  }
  const logged = new Set<string>();
  for (const account of ACCOUNTS) {
    const states = await lastStates(store, account);
    for (const [messageId, state] of states) {
      logged.add(messageId);
      if (!book.made.has(messageId)) violations.push(`${messageId} was made by nobody`);
      if (state !== "DELIVERED") violations.push(`${messageId} ended as ${state}`);
    }
  }
  for (const messageId of book.made) {
    if (!logged.has(messageId)) violations.push(`${messageId} is not there`);
    if (!arrived.has(messageId)) violations.push(`${messageId} never arrived`);
  }
  return violations;
}

async function lastStates(store: Store, accountId: string): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  let after: string | null = null;
  do {
    const page = await store.reader.messages.log(
      accountId,
      {},
      { after, count: 1_000, order: "earliestFirst" },
    );
    for (const { entry } of page.items) states.set(entry.messageId, entry.state);
    after = page.next;
  } while (after !== null);
  return states;
}

/** The store, with a book that is told of every act. As one that nodes share, it goes by its own clock. */
function readAlong(store: Store, book: ScheduleBook, time: SimulatedTime): Store {
  return {
    reader: store.reader,
    upcoming: (ageMsMax) => store.upcoming(ageMsMax),
    isOnlyWriter: false,
    act: async (act) => {
      const answer = await store.act(act);
      book.write(act, answer);
      return answer;
    },
    claim: (request) => store.claim({ ...request, now: time.now }),
    leased: (granted) => store.leased(granted),
    clock: store.clock,
    slotFreed: store.slotFreed,
    takeOver: (request) => store.takeOver({ ...request, now: time.now }),
    beat: (...beat) => store.beat(...beat),
    leave: (nodeId) => store.leave(nodeId),
    isDiskFull: false,
    recordStats: (minutesMax) => store.recordStats(minutesMax),
    requireWritable: () => store.requireWritable(),
    totals: () => store.totals(),
    sweep: (request) => store.sweep(request),
    sweepAccount: (request) => store.sweepAccount(request),
    removeAccount: (request) => store.removeAccount(request),
    close: () => store.close(),
  };
}

function onFatal(error: Error): never {
  throw error;
}

const ACCOUNTS = ["one", "two"] as const;
const GOOD: Outcome = { kind: "answer", status: 200, headers: [], body: new Uint8Array(0) };
