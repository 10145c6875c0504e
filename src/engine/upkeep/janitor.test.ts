import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../../test/support/manual-clock.ts";
import { anAccount } from "../../../test/support/messages.ts";
import { SteadyClock } from "../../platform/due-time-clock.ts";
import type { AccountSweepRequest, SweepRequest } from "../../store/store.ts";
import type { EngineOptions } from "../engine-options.ts";
import { Janitor } from "./janitor.ts";

const MINUTE_MS = 60_000;
const MONTH_MS = 30 * 86_400_000;

const doNothing = (): void => undefined;

/** A janitor over a store that records the time of each sweep. */
function open() {
  const own = new ManualClock();
  const asked: number[] = [];
  let beforeAccounts = doNothing;
  let pageMs = 0;
  const store = {
    reader: {
      accounts: {
        list: () => {
          beforeAccounts();
          return Promise.resolve([anAccount()]);
        },
      },
      upkeep: {
        size: () => Promise.resolve({ usedBytes: null }),
        oldest: () => Promise.resolve([{ accountId: "account", messageAt: 0, deadLetterAt: null }]),
      },
    },
    sweep: ({ now }: SweepRequest) => {
      asked.push(now);
      own.advance(pageMs);
      return Promise.resolve({ removed: 0, more: pageMs > 0 });
    },
    sweepAccount: ({ now }: AccountSweepRequest) => {
      asked.push(now);
      return Promise.resolve({ removed: 0, dropped: 0, kept: 0, after: null });
    },
  };
  const clock = new SteadyClock(own);
  const options = { store, clock, machineClock: clock, limits: {} };
  const janitor = new Janitor(options as unknown as EngineOptions);
  return {
    own,
    asked,
    janitor,
    takes: (ms: number) => (pageMs = ms),
    /** Runs the janitor for this long, a piece at a time. */
    work: async (ms: number): Promise<void> => {
      const until = own.monotonic() + ms;
      while (own.monotonic() < until) own.advance(await janitor.runOnce());
    },
    beforeAccounts: (action: () => void) => (beforeAccounts = action),
  };
}

test("a clock that jumps ahead and comes back lets nothing go before its time", async () => {
  const { own, asked, work } = open();
  await work(MINUTE_MS);
  own.step(MONTH_MS);
  await work(MINUTE_MS);
  own.step(-MONTH_MS);
  await work(20 * MINUTE_MS);
  assert.ok(asked.length > 10, "it goes on sweeping");
  assert.ok(Math.max(...asked) <= own.now());
});

test("a jump in the middle of a round does not reach what is left of it", async () => {
  const { own, asked, work, beforeAccounts } = open();
  const startedAt = own.now();
  beforeAccounts(() => own.step(MONTH_MS));
  await work(3);
  assert.ok(own.now() > startedAt + MONTH_MS);
  beforeAccounts(doNothing);
  await work(9 * MINUTE_MS);
  assert.ok(Math.max(...asked) < startedAt + MINUTE_MS);
});

test("a clock that stays ahead is believed after ten minutes", async () => {
  const { own, asked, work } = open();
  own.step(MONTH_MS);
  await work(9 * MINUTE_MS);
  assert.deepEqual(asked, []);
  await work(2 * MINUTE_MS);
  assert.ok(asked.length > 0);
});

test("small steps and steps back do not keep it from sweeping", async () => {
  const { own, asked, work } = open();
  own.step(-MONTH_MS);
  await work(1);
  for (let second = 0; second < 60; second++) {
    own.step(1_000);
    await work(MINUTE_MS);
  }
  assert.ok(asked.length >= 60);
});

test("others have three times as long as a page takes, from two milliseconds to a second", async () => {
  const { janitor, takes } = open();
  const pauses: number[] = [];
  for (const ms of [40, 0.5, 5_000]) {
    takes(ms);
    pauses.push(await janitor.runOnce());
  }
  assert.deepEqual(pauses, [120, 2, 1_000]);
});
