import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { BulkQuery } from "../../wire/filters/filters.ts";
import type { LiveFilter } from "../../core/model/message/log-filter.ts";
import type { Context } from "../context.ts";
import { countWaiting, sendManyNow, sendNow } from "./send-now.ts";

const ACCOUNT = { accountId: "account", limits: { delayMsMax: 86_400_000 } } as Account;
const ALL: BulkQuery<LiveFilter> = {
  filter: {},
  count: null,
  cursor: null,
  overMs: 0,
  isDryRun: false,
};

test("messages that are published while many are sent now are not reached", async () => {
  const clock = new ManualClock();
  const waiting = ["1", "2"];
  const sent: string[] = [];
  const messages = {
    lastLive: () => Promise.resolve(waiting.at(-1) ?? null),
    live: (_account: string, _filter: LiveFilter, range: { after: string; upTo: string }) => {
      // A publisher is as fast as this call.
      waiting.push(String(waiting.length + 1));
      const items = waiting.filter((id) => id > range.after && id <= range.upTo).slice(0, 1);
      const [last] = items;
      return Promise.resolve({ items, next: last === undefined ? null : last });
    },
  };
  const act = ({ messages: due }: { messages: readonly { key: { messageId: string } }[] }) => {
    sent.push(...due.map(({ key }) => key.messageId));
    clock.advance(1);
    return Promise.resolve(due.length);
  };
  const store = { reader: { messages }, act, clock: { time: () => ({ now: 0, aheadMs: 0 }) } };
  const context = { clock, store, bell: { ring: () => {} }, cursorSecrets: () => ["secret"] };
  const answer = await sendManyNow(context as unknown as Context, ACCOUNT, ALL);
  assert.deepEqual(sent, ["1", "2"]);
  assert.deepEqual(answer, { retried: 2, cursor: undefined });
});

/** So many messages that wait, of which each act takes so long. */
function messagesThatWait(count: number, actMs = 0) {
  const clock = new ManualClock();
  const all = Array.from({ length: count }, (_, index) => String(index).padStart(6, "0"));
  const sent: string[] = [];
  const sizes: number[] = [];
  let rings = 0;
  const messages = {
    lastLive: () => Promise.resolve(all.at(-1) ?? null),
    live: (_account: string, _filter: LiveFilter, range: { after: string; count: number }) => {
      sizes.push(range.count);
      const items = all.filter((id) => id > range.after).slice(0, range.count);
      return Promise.resolve({ items, next: items.at(-1) === all.at(-1) ? null : items.at(-1) });
    },
  };
  const act = (given: { messages: readonly { key: { messageId: string } }[] }) => {
    sizes.push(given.messages.length);
    sent.push(...given.messages.map(({ key }) => key.messageId));
    clock.advance(actMs);
    return Promise.resolve(given.messages.length);
  };
  const store = { reader: { messages }, act, clock: { time: () => ({ now: 0, aheadMs: 0 }) } };
  const bell = { ring: () => (rings += 1) };
  const context = { clock, store, bell, cursorSecrets: () => ["secret"] } as unknown as Context;
  return { context, all, sent, sizes, rings: () => rings };
}

test("no read and no act is of more than 500 messages, found or named", async () => {
  const { context, all, sent, sizes } = messagesThatWait(1_201);
  assert.equal((await sendManyNow(context, ACCOUNT, ALL)).retried, 1_201);
  await sendManyNow(context, ACCOUNT, { ...ALL, filter: { messageIds: all } });
  assert.equal(Math.max(...sizes), 500);
  assert.deepEqual(sent, [...all, ...all]);
});

test("no more are made due than were asked for, over pages too, and those are the oldest", async () => {
  const { context, all, sent } = messagesThatWait(1_201);
  assert.equal((await sendManyNow(context, ACCOUNT, { ...ALL, count: 700 })).retried, 700);
  assert.deepEqual(sent, all.slice(0, 700));
});

test("work that takes long ends with a cursor, and the call that continues does the rest", async () => {
  const { context, all, sent } = messagesThatWait(1_201, 10_000);
  const first = await sendManyNow(context, ACCOUNT, ALL);
  assert.equal(first.retried, 1_000);
  const { retried, cursor } = await sendManyNow(context, ACCOUNT, {
    ...ALL,
    cursor: first.cursor!,
  });
  assert.deepEqual([retried, cursor], [201, undefined]);
  assert.deepEqual(sent, all);
});

test("the engine is woken for what is due now, and for nothing else", async () => {
  const some = messagesThatWait(1);
  await sendManyNow(some.context, ACCOUNT, ALL);
  assert.equal(some.rings(), 1);
  const none = messagesThatWait(0);
  await sendManyNow(none.context, ACCOUNT, ALL);
  assert.deepEqual([none.rings(), none.sizes], [0, []]);
  for (const [answer, rings] of [
    ["due", 1],
    ["active", 0],
  ] as const) {
    const one = messagesThatWait(0);
    const store = { act: () => Promise.resolve(answer) };
    const context = { ...one.context, store } as unknown as Context;
    const key = { accountId: "account", messageId: "message" };
    assert.equal(await sendNow(context, key), answer);
    assert.equal(one.rings(), rings);
  }
});

test("a time that is longer than a message may wait is refused, also where it would only be counted", async () => {
  const account = { ...ACCOUNT, limits: { delayMsMax: 1_000 } } as Account;
  const { context, sent } = messagesThatWait(1);
  const tooLong = { ...ALL, overMs: 1_001 };
  await assert.rejects(async () => sendManyNow(context, account, tooLong), /over: /);
  await assert.rejects(async () => countWaiting(context, account, tooLong), /over: /);
  assert.deepEqual(sent, []);
  assert.equal((await sendManyNow(context, account, { ...ALL, overMs: 1_000 })).retried, 1);
});
