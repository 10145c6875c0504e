import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { Problem } from "../../core/problem.ts";
import { FairShare, type FairShareOptions } from "./fair-share.ts";

const refusal = (): Problem => new Problem("overloaded", "try again", 1);

function shareWith(options: Partial<FairShareOptions>): { clock: ManualClock; share: FairShare } {
  const clock = new ManualClock();
  const limits = { accountMax: 2, totalMax: 4, waitMsMax: 10_000, waitingMax: 3, refusal };
  return { clock, share: new FairShare({ clock, ...limits, ...options }) };
}

test("what an account asks for beyond its share waits, and is refused after a while", async () => {
  const { clock, share } = shareWith({});
  const entries = [1, 2, 3].map(() => share.enter("one", 1));
  await Promise.all([entries[0]!.admitted, entries[1]!.admitted]);
  clock.advance(9_999);
  share.enter("other", 1).leave();
  const refused = assert.rejects(entries[2]!.admitted, { kind: "overloaded" });
  clock.advance(1);
  await refused;
  entries[2]!.leave();
  assert.equal(share.held, 2);
  for (const entry of entries) entry.leave();
  for (const entry of entries) entry.leave();
  assert.equal(share.held, 0);
});

test("room that becomes free goes to the account that holds least", async () => {
  const { share } = shareWith({});
  const order: string[] = [];
  const enter = (accountId: string) => {
    const entry = share.enter(accountId, 1);
    void entry.admitted.then(() => order.push(accountId));
    return entry;
  };
  const held = ["a", "a", "b", "b"].map(enter);
  ["a", "c", "c"].forEach(enter);
  await Promise.resolve();
  held[0]!.leave();
  held[2]!.leave();
  await Promise.resolve();
  assert.deepEqual(order, ["a", "a", "b", "b", "c", "a"]);
});

test("too many waiting are refused at once, and one that gives up leaves no trace", async () => {
  const { share } = shareWith({ waitingMax: 1 });
  const held = share.enter("one", 2);
  const waiting = share.enter("one", 1);
  assert.throws(() => share.enter("one", 1), { kind: "overloaded" });
  const refused = assert.rejects(waiting.admitted);
  waiting.leave();
  await refused;
  held.leave();
  assert.equal(share.held, 0);
  await share.enter("one", 2).admitted;
});

test("more than a share is given to an account that holds nothing", async () => {
  const { share } = shareWith({});
  const large = share.enter("one", 9);
  await large.admitted;
  assert.equal(share.held, 9);
  const next = share.enter("other", 1);
  large.leave();
  await next.admitted;
  assert.equal(share.held, 1);
  const beside = share.enter("one", 9);
  await beside.admitted;
  assert.equal(share.held, 10);
});
