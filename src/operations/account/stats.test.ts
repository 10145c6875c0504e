import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatQuery } from "../../wire/account/stats.ts";
import type { Context } from "../context.ts";
import { readHosts, readSeries, FreshStats, accountStats, readUsage } from "./stats.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import type { DailyCount } from "../../core/model/account/stats.ts";

function recorded() {
  const asked: unknown[] = [];
  const answer =
    (name: string) =>
    (...args: unknown[]) => {
      asked.push([name, ...args]);
      return Promise.resolve([name]);
    };
  const stats = { series: answer("series"), backlog: answer("backlog"), hosts: answer("hosts") };
  const freshStats = {
    record: async () => {
      await Promise.resolve();
      asked.push("recorded");
    },
  };
  return { asked, context: { store: { reader: { stats } }, freshStats } as unknown as Context };
}

test("numbers are read after what this node has counted is written", async () => {
  const query = { fromAt: 1, untilAt: 2 } as unknown as StatQuery;
  const series = recorded();
  const found = await readSeries(series.context, "account", query);
  assert.deepEqual(found, { points: ["series"], backlog: ["backlog"] });
  const [first, ...reads] = series.asked;
  assert.equal(first, "recorded");
  assert.deepEqual(reads, [
    ["series", "account", query],
    ["backlog", "account", query],
  ]);
  const hosts = recorded();
  await readHosts(hosts.context, "account", { fromAt: 5, count: 7 });
  assert.deepEqual(hosts.asked, ["recorded", ["hosts", "account", 5, 7]]);
});

test("the numbers of one host have no backlog, which is that of all", async () => {
  const { asked, context: of } = recorded();
  const query = { host: "example.com" } as unknown as StatQuery;
  assert.deepEqual(await readSeries(of, "account", query), { points: ["series"], backlog: [] });
  assert.deepEqual(asked, ["recorded", ["series", "account", query]]);
});

test("a call during a write waits for it", async () => {
  const { stats, writes } = started();
  const done: string[] = [];
  const first = stats.record().then(() => done.push("first"));
  const second = stats.record().then(() => done.push("second"));
  await new Promise(setImmediate);
  assert.deepEqual([writes.length, done], [1, []]);
  writes[0]!.resolve(false);
  await Promise.all([first, second]);
  assert.deepEqual(done, ["first", "second"]);
});

test("what was written within five seconds is fresh", async () => {
  const { stats, writes, clock } = started();
  const first = stats.record();
  writes[0]!.resolve(false);
  await first;
  clock.advance(4_999);
  await stats.record();
  assert.equal(writes.length, 1);
  clock.advance(1);
  void stats.record();
  assert.equal(writes.length, 2);
});

test("a write that failed is tried again at the next call", async () => {
  const { stats, writes } = started();
  const first = stats.record();
  writes[0]!.reject(new Error("away"));
  await assert.rejects(first, /away/);
  const second = stats.record();
  writes[1]!.resolve(false);
  await second;
});

function started() {
  const writes: PromiseWithResolvers<boolean>[] = [];
  const clock = new ManualClock();
  const recordStats = (): Promise<boolean> => {
    const write = Promise.withResolvers<boolean>();
    writes.push(write);
    return write.promise;
  };
  return { stats: new FreshStats({ recordStats }, clock), writes, clock };
}

const DAY_MS = 86_400_000;
const TODAY = 20_000;
const NOW = TODAY * DAY_MS + DAY_MS - 1;

const usage = () => Promise.resolve({ queues: 1, urlGroups: 2, schedules: 3, deadLetters: 4 });

function contextOf(days: readonly DailyCount[]) {
  const asked: number[] = [];
  const dailyCounts = (_accountId: string, fromDay: number) => {
    asked.push(fromDay);
    return Promise.resolve(days.filter(({ day }) => day >= fromDay));
  };
  const messages = { underWay: () => Promise.resolve(5) };
  const store = { reader: { accounts: { dailyCounts, usage }, messages } };
  return { asked, context: { store, clock: new ManualClock(NOW) } as unknown as Context };
}

const countOf = (day: number, messages: number): DailyCount => ({
  day,
  messages,
  delivered: messages + 1,
  failed: messages + 2,
  dropped: messages + 3,
});

test("the counts of a period are added up, and today's are held against the limit", async () => {
  const days = [countOf(TODAY - 1, 100), countOf(TODAY, 10)];
  const { asked, context } = contextOf(days);
  const read = (requestsPerDaySoft: number | null) =>
    accountStats(context.store, anAccount({ overrides: { requestsPerDaySoft } }), NOW, 7 * DAY_MS);
  const stats = await read(10);
  assert.deepEqual(asked, [TODAY - 7]);
  assert.deepEqual(stats.sum, { messages: 110, delivered: 112, failed: 114, dropped: 116 });
  assert.deepEqual([stats.today, stats.isOverDailyLimit], [10, false]);
  assert.equal((await read(9)).isOverDailyLimit, true);
  assert.equal((await read(null)).isOverDailyLimit, false);
  const { context: idle } = contextOf([countOf(TODAY - 1, 100)]);
  assert.equal((await accountStats(idle.store, anAccount(), NOW, DAY_MS)).today, 0);
});

const usedOf = async (days: readonly DailyCount[]) =>
  Object.fromEntries(
    (await readUsage(contextOf(days).context, anAccount())).map(({ field, used }) => [field, used]),
  );

test("an account sees how much it uses of each limit, none of it on a day without a message", async () => {
  const things = {
    parallelismMax: 5,
    queuesMax: 1,
    urlGroupsMax: 2,
    schedulesMax: 3,
    deadLettersMax: 4,
  };
  assert.deepEqual(await usedOf([countOf(TODAY - 1, 100), countOf(TODAY, 10)]), {
    requestsPerDaySoft: 10,
    requestsPerDayHard: 10,
    ...things,
  });
  assert.deepEqual(await usedOf([countOf(TODAY - 1, 100)]), {
    requestsPerDaySoft: 0,
    requestsPerDayHard: 0,
    ...things,
  });
});
