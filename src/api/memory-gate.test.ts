import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { MemoryGate } from "./memory-gate.ts";

const LARGE = 100_000;

function gateFor(bytesMax: number, waitingMax = 10) {
  const clock = new ManualClock();
  return { clock, gate: new MemoryGate({ clock, bytesMax, waitingMax, waitMsMax: 30_000 }) };
}

/** What has become of a promise by now. */
async function stateOf(promise: Promise<void>): Promise<string> {
  const pending = Promise.resolve("pending");
  const ended = promise.then(
    () => "admitted",
    (error: Error) => error.message,
  );
  await pending;
  await pending;
  return Promise.race([ended, pending]);
}

test("what fits goes in, what does not waits in its order", async () => {
  const { gate } = gateFor(3 * LARGE);
  assert.ok(gate.enter(2 * LARGE));
  assert.ok(!gate.enter(2 * LARGE));
  const first = gate.wait(2 * LARGE);
  assert.ok(!gate.enter(LARGE), "nobody overtakes");
  const second = gate.wait(LARGE);
  gate.release(2 * LARGE);
  assert.equal(await stateOf(first.admitted), "admitted");
  assert.equal(await stateOf(second.admitted), "admitted");
  assert.equal(gate.used, 3 * LARGE);
});

test("small ones go through a reserve of their own", () => {
  const { gate } = gateFor(LARGE);
  assert.ok(gate.enter(LARGE));
  assert.ok(gate.enter(1_000));
  void gate.wait(LARGE).admitted;
  assert.ok(gate.enter(1_000));
});

test("one that is larger than the gate goes in alone", async () => {
  const { gate } = gateFor(LARGE);
  assert.ok(gate.enter(LARGE));
  const giant = gate.wait(5 * LARGE);
  gate.release(LARGE);
  assert.equal(await stateOf(giant.admitted), "admitted");
});

test("those who wait too long, and those who are too many, are refused", async () => {
  const { gate, clock } = gateFor(LARGE, 1);
  assert.ok(gate.enter(LARGE));
  const waiting = gate.wait(LARGE);
  assert.throws(() => gate.wait(LARGE), { kind: "overloaded", retryAfterSeconds: 5 });
  clock.advance(30_000);
  assert.match(await stateOf(waiting.admitted), /too many/);
  gate.release(LARGE);
  assert.equal(gate.used, 0);
});

test("whoever gives up is passed over", async () => {
  const { gate } = gateFor(LARGE);
  assert.ok(gate.enter(LARGE));
  const gone = gate.wait(LARGE);
  const next = gate.wait(LARGE);
  gone.cancel();
  await assert.rejects(gone.admitted);
  gate.release(LARGE);
  assert.equal(await stateOf(next.admitted), "admitted");
  assert.equal(gate.used, LARGE);
});
