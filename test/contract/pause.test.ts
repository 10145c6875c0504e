/** A pause of the whole service ends when every live node has said that it starts nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseService, resumeService } from "../../src/operations/account/service.ts";
import { nextTurn } from "../../src/platform/turn.ts";
import type { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { START_AT } from "../support/messages.ts";
import { STORES } from "../support/stores.ts";

for (const kind of STORES) {
  test(`${kind.name}: it waits for each live node`, { skip: kind.skip }, async () => {
    await withStore(kind, async (store, clock) => {
      await store.beat("one");
      await store.beat("two");
      let ended = false;
      const pausing = pauseService({ store, clock }).finally(() => (ended = true));
      while (!(await store.reader.service.get()).isPaused) await nextTurn();
      await store.beat("one", true);
      clock.advance(1_000);
      assert.equal(ended, false);
      await store.beat("two", true);
      await advanceUntil(clock, async () => {
        await store.beat("one", true);
        await store.beat("two", true);
        return ended;
      });
      assert.deepEqual(await pausing, { paused: ["one", "two"], pending: [] });
      await resumeService({ store });
      assert.equal((await store.reader.service.get()).isPaused, false);
    });
  });

  test(`${kind.name}: it names a node that goes on`, { skip: kind.skip }, async () => {
    await withStore(kind, async (store, clock) => {
      await store.beat("deaf");
      await store.beat("gone");
      let ended = false;
      const pausing = pauseService({ store, clock }).finally(() => (ended = true));
      await advanceUntil(clock, async () => {
        await store.beat("deaf");
        await store.beat("good", true);
        return ended;
      });
      assert.deepEqual(await pausing, { paused: ["good"], pending: ["deaf"] });
    });
  });
}

async function withStore(
  kind: (typeof STORES)[number],
  work: (store: Store, clock: ManualClock) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock(START_AT);
  const opened = await kind.open(clock);
  try {
    await work(opened.store, clock);
  } finally {
    await opened.close();
  }
}

async function advanceUntil(clock: ManualClock, isSo: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 500; turns++) {
    if (await isSo()) return;
    await nextTurn();
    clock.advance(100);
  }
  assert.fail("did not come to be");
}
