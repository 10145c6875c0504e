import { systemClock } from "../../../src/platform/clock.ts";
import type { Store } from "../../../src/store/store.ts";
import { anAttempt } from "../../support/messages.ts";
import { anItem, aStart, aWait } from "../../support/runs.ts";
import { cpuUs, rssMb, rssPeakMb } from "../process-stats.ts";
import { ACCOUNT } from "../fill.ts";
import type { Findings } from "../findings.ts";
import { startSqlite, type Subject } from "../subjects.ts";

const RUNS_AT_ONCE = 500;
const REST_MS = 24 * 3_600_000;
/** A service that has just started still compiles, and looks at what it finds. */
const SETTLE_MS = 20_000;
const IDLE_MS = 60_000;

/** What runs cost that sleep, and that wait for events, while nothing happens. */
export async function measureSleeping(count: number, findings: Findings): Promise<void> {
  const empty = await startSqlite();
  const full = await startSqlite((store) => addRuns(store, count));
  try {
    await pause(SETTLE_MS);
    const before = [empty, full].map(({ pid }) => cpuUs(pid));
    await pause(IDLE_MS);
    const used = [empty, full].map(({ pid }, index) => cpuUs(pid) - before[index]!);
    report("empty", empty, used[0]!, findings);
    report(`${count} sleeping, ${count} waiting`, full, used[1]!, findings);
  } finally {
    for (const subject of [empty, full]) await subject.stop();
  }
}

/** Half of the runs have slept since their first step, and half wait since then for an event. */
async function addRuns(store: Store, count: number): Promise<void> {
  for (let made = 0; made < count; made += RUNS_AT_ONCE) {
    const indexes = Array.from(
      { length: Math.min(RUNS_AT_ONCE, count - made) },
      (_, n) => made + n,
    );
    await Promise.all(indexes.map((index) => addSleeping(store, `sleeping-${index}`, index)));
    await Promise.all(indexes.map((index) => addWaiting(store, `waiting-${index}`)));
  }
}

async function addSleeping(store: Store, runId: string, index: number): Promise<void> {
  const { ref, lease, attempt, at, requested } = await start(store, runId);
  const item = anItem(`${runId}-1`, 1);
  const sleeping = { ...requested, messageId: `${runId}-1`, notBefore: at + REST_MS + index };
  const items = [{ ...item, requested: sleeping }];
  await store.act({ rule: "reply", at, lease, attempt, ref, reply: { kind: "steps", items } });
}

async function addWaiting(store: Store, runId: string): Promise<void> {
  const { ref, lease, attempt, at, requested } = await start(store, runId);
  const wait = aWait({ ...ref, eventId: `event-${runId}`, stepId: 1 }, at, REST_MS);
  await store.act({
    ...wait,
    waiter: { ...wait.waiter, notified: requested, timedOut: requested },
  });
  const verdict = { kind: "delivered" } as const;
  await store.act({ rule: "settle", at, lease, attempt, verdict, source: null });
}

/** A run whose first delivery is under way. */
async function start(store: Store, runId: string) {
  const at = systemClock.now();
  const accountId = ACCOUNT;
  const act = aStart({ accountId, runId, createdAt: at }, { nodeId: "bench" });
  await store.act(act);
  const { messageId } = act.requested;
  const lease = { accountId, messageId, fence: 1 };
  const attempt = anAttempt({ accountId, messageId });
  return { ref: { accountId, runId, createdAt: at }, lease, attempt, at, requested: act.requested };
}

function report(name: string, { pid }: Subject, usedUs: number, findings: Findings): void {
  findings.add("sleeping", { cells: [name, (usedUs / 1_000).toFixed(0), String(rssMb(pid))] });
  const share = ((usedUs / 1_000 / IDLE_MS) * 100).toFixed(2);
  console.log(
    `  ${name.padEnd(36)} ${(usedUs / 1_000).toFixed(0).padStart(6)} ms of processor time` +
      ` in a minute (${share} %)  rss ${rssMb(pid)} MB, at most ${rssPeakMb(pid)} MB`,
  );
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs);
  });
}
