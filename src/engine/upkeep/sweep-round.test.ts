import assert from "node:assert/strict";
import { test } from "node:test";

import { anAccount } from "../../../test/support/messages.ts";
import type { LimitOverrides } from "../../core/model/account/account.ts";
import type { AccountSweepRequest, Store } from "../../store/store.ts";
import { type SweepOptions, sweepRound } from "./sweep-round.ts";

const NOW = 1_700_000_000_000;
const DAY_MS = 86_400_000;

/** The sweeps of a round when everything of one account is very old. */
async function askedFor(
  overrides: LimitOverrides,
  usedBytes: number | null = null,
): Promise<AccountSweepRequest> {
  const asked: AccountSweepRequest[] = [];
  const store = {
    reader: {
      accounts: { list: () => Promise.resolve([anAccount({ overrides })]) },
      upkeep: {
        size: () => Promise.resolve({ usedBytes }),
        oldest: () => Promise.resolve([{ accountId: "account", messageAt: 0, deadLetterAt: null }]),
      },
    },
    sweep: () => Promise.resolve({ removed: 0, more: false }),
    sweepAccount: (request: AccountSweepRequest) => {
      asked.push(request);
      return Promise.resolve({ removed: 0, dropped: 0, kept: 0, after: null });
    },
  } as unknown as Store;
  const clock = { now: () => NOW };
  const limits = { logBytesMax: 1_000 };
  const options = { store, clock, limits, cursors: new Map() } as unknown as SweepOptions;
  for await (const _ of sweepRound(options)) continue;
  assert.equal(asked.length, 1);
  return asked[0]!;
}

test("what has ended stays for the account's time while there is room", async () => {
  for (const usedBytes of [1_000, null]) {
    const { endedBefore } = await askedFor({ logRetentionMs: 2 * DAY_MS }, usedBytes);
    assert.equal(NOW - endedBefore, 2 * DAY_MS);
  }
});

test("with too little room it goes before its time, but not at once", async () => {
  const { endedBefore } = await askedFor({ logRetentionMs: 2 * DAY_MS }, 1_001);
  assert.equal(NOW - endedBefore, 10 * 60_000);
});

test("however short the retention, what has ended stays readable for ten minutes", async () => {
  const { endedBefore, deadLettersBefore } = await askedFor({
    logRetentionMs: 0,
    deadLetterRetentionMs: 5_000,
  });
  assert.equal(NOW - endedBefore, 10 * 60_000);
  assert.equal(NOW - deadLettersBefore, 5_000);
});

test("a round passes by a bounded number of messages that stay, and the next goes on there", async () => {
  // Only the first ten pages hold messages that can be deleted.
  const { asked, pages, round } = oldPages((nth) => (nth <= 10 ? [8, 1] : [0, 1]));
  assert.deepEqual([await round(), await round(), await round()], [260, 250, 11]);
  assert.deepEqual(asked, ["", ...pages]);
  await round();
  assert.equal(asked[521], "");
});

test("a round deletes all that can be deleted, however few messages fill a page", async () => {
  const { asked, pages, round } = oldPages(() => [1, 0]);
  await round();
  assert.deepEqual(asked, ["", ...pages]);
});

/** Rounds over an account with 521 pages of old messages. */
function oldPages(pageOf: (nth: number) => [removed: number, kept: number]) {
  const asked: string[] = [];
  const pages = Array.from({ length: 520 }, (_, index) => String(index));
  const store = {
    reader: {
      accounts: { list: () => Promise.resolve([anAccount()]) },
      upkeep: {
        size: () => Promise.resolve({ usedBytes: null }),
        oldest: () => Promise.resolve([{ accountId: "account", messageAt: 0, deadLetterAt: null }]),
      },
    },
    sweep: () => Promise.resolve({ removed: 0, more: false }),
    sweepAccount: ({ after }: AccountSweepRequest) => {
      asked.push(after);
      const [removed, kept] = pageOf(asked.length);
      const next = pages[pages.indexOf(after) + 1] ?? null;
      return Promise.resolve({ removed, dropped: 0, kept, after: next });
    },
  } as unknown as Store;
  const options = { store, clock: { now: () => NOW }, limits: {}, cursors: new Map() };
  const round = async (): Promise<number> => {
    const before = asked.length;
    for await (const _ of sweepRound(options as unknown as SweepOptions)) continue;
    return asked.length - before;
  };
  return { asked, pages, round };
}
