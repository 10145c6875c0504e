import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount } from "../../../test/support/messages.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { DailyCount } from "../../core/model/account/daily-count.ts";
import type { Context } from "../context.ts";
import { accountStats } from "./account-stats.ts";
import { readUsage } from "./own-account.ts";

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
