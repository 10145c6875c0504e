import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";

import { systemClock } from "../../src/platform/clock.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anAccount } from "../support/messages.ts";
import { aPutSchedule } from "../support/schedules.ts";
import { besides, Child } from "./child.ts";
import { cpuUs } from "./process-stats.ts";
import { BENCH_TOKEN, startSqliteOver } from "./subjects.ts";

/**
 * `node scripts/bootstrap.mjs test/bench/schedules.ts`: many schedules of many accounts are due in
 * the same minute, while others publish. How long until all of them have fired, and what do the
 * publishers notice?
 */
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    accounts: { type: "string", default: "100" },
    connections: { type: "string", default: "4" },
  },
});
const MINUTE_MS = 60_000;
const BEFORE_MS = 3_000;
const AFTER_MS = 20_000;
const FIRING_MS_MAX = 120_000;
const ACTS_AT_ONCE = 500;
const DELAY_MS = 3_600_000;

const count = Number(values.count);
const data = mkdtempSync(join(tmpdir(), "postrider-bench-"));
const path = join(data, "postrider.db");
const sink = new Child(besides("sink.ts"), []);
const target = `http://127.0.0.1:${Number(await sink.line())}/hook`;
const filledFrom = performance.now();
const made = await fill();
// Room for a fresh start, and for publishers to have warmed up.
const dueAt = Math.ceil((Date.now() + 15_000) / MINUTE_MS) * MINUTE_MS;
makeDue(dueAt);
console.log(`${made} schedules made in ${seconds(performance.now() - filledFrom)} s`);
const subject = await startSqliteOver(data);
await systemClock.sleep(dueAt - BEFORE_MS - Date.now());
const publisher = new Child(besides("publisher.ts"), [
  JSON.stringify({
    port: subject.port,
    targets: [target],
    tokens: [BENCH_TOKEN],
    connections: Number(values.connections),
    bodyBytes: 256,
    durationMs: BEFORE_MS + AFTER_MS,
    batchCount: 1,
  }),
]);
await systemClock.sleep(dueAt - Date.now());
const cpuBefore = cpuUs(subject.pid);
const firedMs = await allFired();
const cpuMs = (cpuUs(subject.pid) - cpuBefore) / 1_000;
const published = JSON.parse(await publisher.line()) as Record<string, number>;
console.log(
  `all fired ${seconds(firedMs)} s after they were due, for ${seconds(cpuMs)} s of processor time`,
);
console.log(
  `meanwhile ${published["acknowledged"]} publishes over ${values.connections} connections: ` +
    `p50 ${published["p50Ms"]?.toFixed(1)} ms, p99 ${published["p99Ms"]?.toFixed(1)} ms, ` +
    `slowest ${published["maxMs"]?.toFixed(0)} ms, ${published["refused"]} refused`,
);
await subject.stop();
await sink.stop();
rmSync(data, { recursive: true, force: true });

function onFatal(error: Error): never {
  throw error;
}

async function fill(): Promise<number> {
  const store = await SqliteStore.open({ path, clock: systemClock, onFatal });
  const accounts = Array.from({ length: Number(values.accounts) }, (_, index) => `bench-${index}`);
  for (const accountId of accounts) {
    await store.act({ rule: "add-account", account: anAccount({ accountId }) });
  }
  for (let from = 0; from < count; from += ACTS_AT_ONCE) {
    const size = Math.min(ACTS_AT_ONCE, count - from);
    const acts = Array.from({ length: size }, (_, offset) => {
      const index = from + offset;
      const cron = `${index % 60} ${index % 24} * * *`;
      const accountId = accounts[index % accounts.length]!;
      // Delayed, since what is measured is the making of messages and not their delivery.
      const options = {
        dialect: "svc",
        headers: [],
        settings: { retries: 3 },
        delayMs: DELAY_MS,
      } as const;
      const settings = { cron, destination: target, options };
      const act = aPutSchedule(Date.now(), `s${index}`, settings, accountId);
      return store.act({ ...act, body: new Uint8Array(256) });
    });
    await Promise.all(acts);
  }
  await store.close();
  return count;
}

/** Whatever they say themselves, their next instant is this one. */
function makeDue(at: number): void {
  const database = new DatabaseSync(path);
  database.prepare("UPDATE schedules SET next_at = ?").run(at);
  database.close();
}

async function allFired(): Promise<number> {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec("PRAGMA busy_timeout = 5000");
  const waiting = database.prepare("SELECT 1 FROM schedules WHERE next_at <= ? LIMIT 1");
  const startedAt = performance.now();
  while (waiting.get(dueAt) !== undefined) {
    if (performance.now() - startedAt > FIRING_MS_MAX) throw new Error("not all have fired");
    await systemClock.sleep(20);
  }
  database.close();
  return performance.now() - startedAt;
}

function seconds(durationMs: number): string {
  return (durationMs / 1_000).toFixed(1);
}
