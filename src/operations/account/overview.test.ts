import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import { countsBy, type HostStats } from "../../core/model/account/stats.ts";
import type { LogFilter } from "../../core/model/message/log-filter.ts";
import type { StatQuery } from "../../wire/account/stats.ts";
import type { Context } from "../context.ts";
import { showHosts } from "./overview.ts";

const HOUR_MS = 3_600_000;
const NOW = 500_000 * HOUR_MS + 60_000;

interface Entry {
  readonly host: string;
  readonly state: string;
  readonly at: number;
}

/** An account with these entries in its log, the oldest first. */
function contextOf(log: readonly Entry[] = []) {
  const asked: StatQuery[] = [];
  const messages = {
    log: (_accountId: string, filter: LogFilter, page: { order: string; count: number }) => {
      assert.equal(page.order, "latestFirst");
      const items = log
        .filter(({ host, state }) => filter.hosts?.includes(host) && wants(filter, state))
        .toReversed()
        .slice(0, page.count)
        .map((entry) => ({ entry }));
      return Promise.resolve({ items, next: null });
    },
  };
  const stats = {
    series: (_accountId: string, query: StatQuery) => {
      asked.push(query);
      return Promise.resolve([]);
    },
  };
  const freshStats = { record: () => Promise.resolve() };
  const store = { reader: { messages, stats } };
  const context = { store, freshStats, cursorSecrets, clock: new ManualClock(NOW) };
  return { asked, context: context as unknown as Context };
}

function wants({ states }: LogFilter, state: string): boolean {
  return states?.some((each) => each === state) ?? true;
}

function hostOf(host: string, attempts: number, failedAttempts: number): HostStats {
  return { ...countsBy(() => 0), durations: [], host, attempts, failedAttempts };
}

/** So many attempts at a host; the last ones failed. */
function entriesOf(host: string, delivered: number, failed: number): Entry[] {
  return Array.from({ length: delivered + failed }, (_, at) => ({
    host,
    state: at < delivered ? "DELIVERED" : "ERROR",
    at,
  }));
}

const cursorSecrets = (): string[] => ["secret"];

const show = (hosts: readonly HostStats[], log?: readonly Entry[]) =>
  showHosts(contextOf(log).context, anAccount(), hosts);

const named = async (hosts: readonly HostStats[]): Promise<string> =>
  (await show(hosts)).map(({ host }) => host).join(" ");

test("the busiest five are shown, then those five of which the most attempts failed", async () => {
  const busy = Array.from({ length: 7 }, (_, index) => hostOf(`busy-${index}`, 1_000 - index, 0));
  const failing = Array.from({ length: 7 }, (_, index) => hostOf(`fails-${index}`, 9, index + 1));
  assert.equal(
    await named([...busy, ...failing]),
    "busy-0 busy-1 busy-2 busy-3 busy-4 fails-6 fails-5 fails-4 fails-3 fails-2",
  );
  assert.equal(await named(busy), "busy-0 busy-1 busy-2 busy-3 busy-4");
  const both = [hostOf("both", 2_000, 2_000), ...busy.slice(0, 2)];
  assert.equal(await named(both), "both busy-0 busy-1");
});

test("a host where an attempt failed is shown with its own newest error", async () => {
  const log = [...entriesOf("a", 3, 1), ...entriesOf("b", 2, 4)];
  const [a, b, c] = await show([hostOf("a", 4, 1), hostOf("b", 6, 4), hostOf("c", 5, 0)], log);
  assert.deepEqual([a!.lastError?.entry.at, b!.lastError?.entry.at, c!.lastError], [3, 5, null]);
  assert.deepEqual([a!.newest, b!.newest], [null, null]);
});

/** What the newest attempts tell of a host with so many, the last of which failed. */
async function newestOf(delivered: number, failed: number) {
  const log = [...entriesOf("a", delivered, failed), ...entriesOf("b", 1, 0)];
  const [shown] = await show([hostOf("a", delivered + failed, failed)], log);
  return shown!.newest;
}

test("where half of ten attempts failed, the newest ten tell whether it is still down", async () => {
  assert.equal(await newestOf(4, 5), null);
  assert.equal(await newestOf(6, 5), null);
  assert.deepEqual(await newestOf(5, 5), { attempts: 10, failed: 5, deliveredAt: null });
  assert.deepEqual(await newestOf(3, 20), { attempts: 10, failed: 10, deliveredAt: 2 });
  assert.deepEqual(await newestOf(0, 20), { attempts: 10, failed: 10, deliveredAt: null });
});

test("the hours of a host are the last twenty-four, with the one that has begun", async () => {
  const { context, asked } = contextOf();
  await showHosts(context, anAccount(), [hostOf("a", 1, 0)]);
  const toAt = 500_001 * HOUR_MS;
  assert.deepEqual(asked, [{ step: "hour", fromAt: toAt - 24 * HOUR_MS, toAt, host: "a" }]);
});
