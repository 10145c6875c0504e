/** A message is leased, and then the store cannot tell the key that signs it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailable } from "../../src/store/store-unavailable.ts";
import { answering, engineOn, openStore, publishBacklog } from "./lone-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const COUNT = 20;
/** Less than it takes to disown a lease. */
const SOON_MS = 3_000;

test("messages whose signing key cannot be read are sent soon after it can be", async () => {
  const time = new SimulatedTime();
  const store = await openStore(time);
  await publishBacklog(store, time.now, COUNT);
  let isAway = true;
  let asked = 0;
  let sent = 0;
  const errors: string[] = [];
  const engine = engineOn(store, time, {
    signingKey: () => {
      asked += 1;
      return isAway ? Promise.reject(new StoreUnavailable("away")) : "sig_test";
    },
    courier: answering(time, () => (sent += 1)),
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (event) => void errors.push(event),
    },
  });
  await Promise.all([engine.start(), time.runUntil(time.now + 10_000)]);
  assert.equal(sent, 0);
  assert.ok(asked >= COUNT && asked <= 11 * COUNT, `asked ${asked} times`);
  isAway = false;
  await time.runUntil(time.now + SOON_MS);
  assert.equal(sent, COUNT);
  assert.deepEqual(errors, []);
  const counts = await store.reader.upkeep.counts();
  assert.equal(counts.waiting, 0);
  await Promise.all([engine.stop(0), time.runUntil(time.now + 10_000)]);
  await store.close();
});
