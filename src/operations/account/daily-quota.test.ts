import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import { type DailyCount, dayOf } from "../../core/model/account/stats.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { Problem } from "../../core/problem.ts";
import type { AccountReader } from "../../store/reader/accounts.ts";
import { DailyQuota } from "./daily-quota.ts";

const DAY_MS = 86_400_000;
const ACCOUNTS_MAX = 10_000;

/** A quota over a store whose count the test sets; published messages are not added to it. */
function quotaOver(stored: { messages: number }) {
  const clock = new ManualClock(20_000 * DAY_MS + 1_000);
  const asked: number[] = [];
  const accounts = {
    dailyCounts: (_accountId: string, fromDay: number): Promise<DailyCount[]> => {
      asked.push(fromDay);
      const { messages } = stored;
      return Promise.resolve([{ day: fromDay, messages, delivered: 0, failed: 0, dropped: 0 }]);
    },
  } as unknown as AccountReader;
  return { clock, asked, quota: new DailyQuota(accounts, clock) };
}

function accountWith(requestsPerDayHard: number | null, accountId = "account"): Account {
  return anAccount({ accountId, overrides: { requestsPerDayHard } });
}

const stores = (): Promise<string> => Promise.resolve("stored");

/** A quota over a store that answers when the test says so. */
function quotaAsking() {
  const clock = new ManualClock(20_000 * DAY_MS);
  const readings: PromiseWithResolvers<DailyCount[]>[] = [];
  const dailyCounts = (): Promise<DailyCount[]> => {
    const reading = Promise.withResolvers<DailyCount[]>();
    readings.push(reading);
    return reading.promise;
  };
  const answer = (messages: number, day = 20_000): void =>
    readings.at(-1)!.resolve([{ day, messages, delivered: 0, failed: 0, dropped: 0 }]);
  const quota = new DailyQuota({ dailyCounts } as unknown as AccountReader, clock);
  return { clock, readings, answer, quota };
}

test("an account without the limit is not even looked up", async () => {
  const { quota, asked } = quotaOver({ messages: 5 });
  assert.equal(await quota.within(accountWith(null), 1_000, stores), "stored");
  assert.deepEqual(asked, []);
});

test("of many at once as many pass as are left, and the others are told when to come back", async () => {
  const { quota, asked } = quotaOver({ messages: 7 });
  const account = accountWith(10);
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, () => quota.within(account, 1, stores)),
  );
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 3);
  assert.equal(asked.length, 1);
  await assert.rejects(quota.within(account, 1, stores), (problem: Problem) => {
    assert.equal(problem.kind, "daily-limit");
    assert.equal(problem.message, "quota maxRequestsPerDay exceeded, current limit: 10");
    assert.equal(problem.retryAfterSeconds, 86_399);
    const resetAtSeconds = (20_001 * DAY_MS) / 1_000;
    assert.deepEqual(problem.rate, { limit: 10, remaining: 0, resetAtSeconds });
    return true;
  });
});

test("several messages are taken together or not at all", async () => {
  const { quota } = quotaOver({ messages: 7 });
  const account = accountWith(10);
  await assert.rejects(quota.within(account, 4, stores), (problem: Problem) => {
    assert.equal(problem.rate?.remaining, 3);
    return true;
  });
  assert.equal(await quota.within(account, 3, stores), "stored");
});

test("what is left is never less than nothing, and the wait until midnight is in whole seconds", async () => {
  const { quota, clock } = quotaOver({ messages: 15 });
  clock.advance(300);
  await assert.rejects(quota.within(accountWith(10), 1, stores), (problem: Problem) => {
    assert.deepEqual([problem.rate?.remaining, problem.retryAfterSeconds], [0, 86_399]);
    return true;
  });
});

test("what was not stored after all is given back", async () => {
  const { quota } = quotaOver({ messages: 9 });
  const account = accountWith(10);
  await assert.rejects(
    quota.within(account, 1, () => Promise.reject(new Error("away"))),
    /away/,
  );
  assert.equal(await quota.within(account, 1, stores), "stored");
});

test("after a second the counts of others are seen, and own ones are not counted twice", async () => {
  const stored = { messages: 0 };
  const { quota, clock, asked } = quotaOver(stored);
  const account = accountWith(10);
  for (let round = 0; round < 4; round++) await quota.within(account, 1, stores);
  assert.equal(asked.length, 1);
  stored.messages = 8;
  clock.advance(1_000);
  await quota.within(account, 2, stores);
  await assert.rejects(quota.within(account, 1, stores));
  assert.equal(asked.length, 2);
});

test("what is on its way to the store while it is asked is not forgotten", async () => {
  const stored = { messages: 0 };
  const { quota, clock } = quotaOver(stored);
  const account = accountWith(2);
  const gate = Promise.withResolvers<string>();
  const first = quota.within(account, 1, () => gate.promise);
  await quota.within(account, 1, stores);
  stored.messages = 1;
  clock.advance(1_000);
  await assert.rejects(quota.within(account, 1, stores));
  gate.resolve("stored");
  await first;
  await assert.rejects(quota.within(account, 1, stores));
});

test("a message that is stored during a reading counts, whether the reading saw it or not", async () => {
  const { quota, clock, answer } = quotaAsking();
  const account = accountWith(1);
  const gate = Promise.withResolvers<string>();
  const first = quota.within(account, 1, () => gate.promise);
  answer(0);
  await turn();
  clock.advance(1_000);
  const second = quota.within(account, 1, stores);
  gate.resolve("stored");
  await first;
  answer(0);
  await assert.rejects(second, /quota maxRequestsPerDay exceeded/);
});

test("counts are a second old from when they were asked for, however long the answer took", async () => {
  const { quota, clock, readings, answer } = quotaAsking();
  const first = quota.within(accountWith(9), 1, stores);
  clock.advance(1_000);
  answer(0);
  await first;
  void quota.within(accountWith(9), 1, stores);
  assert.equal(readings.length, 2);
});

test("a reading that failed is an error of its callers, and the next one asks again", async () => {
  const { quota, readings, answer } = quotaAsking();
  const failed = [quota.within(accountWith(9), 1, stores), quota.within(accountWith(9), 1, stores)];
  readings[0]!.reject(new Error("away"));
  await Promise.all(failed.map((each) => assert.rejects(each, /away/)));
  const next = quota.within(accountWith(9), 1, stores);
  assert.equal(readings.length, 2);
  answer(0);
  assert.equal(await next, "stored");
});

test("a count that was asked for before midnight is not that of the new day", async () => {
  const { quota, clock, readings, answer } = quotaAsking();
  clock.advance(DAY_MS - 1);
  const late = quota.within(accountWith(9), 1, stores);
  clock.advance(1);
  answer(9);
  await Promise.allSettled([late]);
  const early = quota.within(accountWith(9), 1, stores);
  assert.equal(readings.length, 2);
  answer(0, 20_001);
  assert.equal(await early, "stored");
});

test("a new day begins with nothing", async () => {
  const stored = { messages: 10 };
  const { quota, clock, asked } = quotaOver(stored);
  const account = accountWith(10);
  await assert.rejects(quota.within(account, 1, stores));
  stored.messages = 0;
  clock.advance(DAY_MS);
  assert.equal(await quota.within(account, 1, stores), "stored");
  assert.equal(asked.at(-1), dayOf(clock.now()));
});

test("at midnight a new day begins, however fresh the count of the old one is", async () => {
  const { quota, clock } = quotaOver({ messages: 0 });
  const account = accountWith(1);
  clock.advance(DAY_MS - 1_500);
  await quota.within(account, 1, stores);
  await assert.rejects(quota.within(account, 1, stores));
  clock.advance(500);
  assert.equal(await quota.within(account, 1, stores), "stored");
});

test("an account without a message today has all of its limit, and no more", async () => {
  const accounts = { dailyCounts: () => Promise.resolve([]) } as unknown as AccountReader;
  const quota = new DailyQuota(accounts, new ManualClock());
  assert.equal(await quota.within(accountWith(2), 2, stores), "stored");
  await assert.rejects(quota.within(accountWith(2), 1, stores));
});

test("of very many accounts the idle ones are forgotten, and none with messages under way", async () => {
  const { quota, asked } = quotaOver({ messages: 0 });
  const gate = Promise.withResolvers<string>();
  const busy = accountWith(1, "busy");
  const underWay = quota.within(busy, 1, () => gate.promise);
  for (let number = 1; number < ACCOUNTS_MAX; number++) {
    await quota.within(accountWith(1, `account-${number}`), 1, stores);
  }
  const isKnown = async (accountId: string): Promise<boolean> => {
    const before = asked.length;
    await quota.within(accountWith(5, accountId), 1, stores);
    return asked.length === before;
  };
  assert.equal(await isKnown("account-1"), true);
  assert.equal(await isKnown("one more"), false);
  assert.equal(await isKnown("account-1"), false);
  await assert.rejects(quota.within(busy, 1, stores));
  gate.resolve("stored");
  await underWay;
});
