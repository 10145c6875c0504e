/** Nodes that start first together: the one that adds the account says every secret. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "../../src/config/read-settings.ts";
import { prepareAccounts } from "../../src/operations/account/first-accounts.ts";
import { createIds } from "../../src/platform/ids.ts";
import { createSecretBox } from "../../src/platform/secret-box.ts";
import type { Store } from "../../src/store/store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { STORES } from "../support/stores.ts";

const settings = readSettings("serve", { flags: {}, environment: {}, configFile: undefined });
const secretBox = createSecretBox("a-secret-key-of-the-cluster", createIds());

for (const kind of STORES) {
  test(`${kind.name}: one node says all secrets`, { skip: kind.skip }, async () => {
    const clock = new ManualClock();
    const opened = await kind.open(clock);
    const { store } = opened;
    const start = (over: Store) =>
      prepareAccounts(settings, { store: over, clock, ids: createIds(), secretBox });
    // The second node starts whole while the first one has added its account and no more.
    let second: ReturnType<typeof start> | null = null;
    const first = await start({
      ...asPlainObject(store),
      act: async (act) => {
        const answer = await store.act(act);
        second ??= start(store);
        await second;
        return answer;
      },
    });
    const other = await second!;
    assert.notEqual(first.credentials, null);
    assert.equal(first.operator?.user, "admin");
    assert.equal(other.credentials, null);
    assert.equal(other.operator, null);
    const again = await start(store);
    assert.deepEqual([again.credentials, again.operator], [null, null]);
    await opened.close();
  });
}

function asPlainObject(store: Store): Store {
  return {
    reader: store.reader,
    clock: store.clock,
    upcoming: (ageMsMax) => store.upcoming(ageMsMax),
    isOnlyWriter: store.isOnlyWriter,
    slotFreed: store.slotFreed,
    isDiskFull: false,
    act: (act) => store.act(act),
    claim: (request) => store.claim(request),
    leased: (granted) => store.leased(granted),
    takeOver: (request) => store.takeOver(request),
    beat: (...beat) => store.beat(...beat),
    leave: (nodeId) => store.leave(nodeId),
    recordStats: (minutesMax) => store.recordStats(minutesMax),
    requireWritable: () => store.requireWritable(),
    totals: () => store.totals(),
    sweep: (request) => store.sweep(request),
    sweepAccount: (request) => store.sweepAccount(request),
    removeAccount: (request) => store.removeAccount(request),
    close: () => store.close(),
  };
}
