import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../platform/clock.ts";
import { NameResolver } from "./name-resolver.ts";

/** A clock that stands still until it is moved. */
function standingClock(): Clock & { move(ms: number): void } {
  let now = 0;
  const timers = new Set<{ at: number; action: () => void }>();
  return {
    now: () => now,
    wall: () => now,
    monotonic: () => now,
    sleep: () => Promise.reject(new Error("this clock has no sleep")),
    after(ms, action) {
      const timer = { at: now + ms, action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    move(ms) {
      now += ms;
      for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.action();
    },
  };
}

test("a name is looked up once in 30 seconds", async () => {
  const clock = standingClock();
  let asked = 0;
  const resolver = new NameResolver(clock, () => Promise.resolve([`10.0.0.${++asked}`]));
  const both = await Promise.all([resolver.resolve("a.test"), resolver.resolve("a.test")]);
  assert.deepEqual(both, [["10.0.0.1"], ["10.0.0.1"]]);
  clock.move(29_999);
  assert.deepEqual(await resolver.resolve("a.test"), ["10.0.0.1"]);
  clock.move(1);
  assert.deepEqual(await resolver.resolve("a.test"), ["10.0.0.2"]);
  assert.equal(asked, 2);
});

test("a lookup without an answer fails after 5 seconds", async () => {
  const clock = standingClock();
  const answers = [new Promise<string[]>(() => {}), Promise.resolve(["10.0.0.1"])];
  const resolver = new NameResolver(clock, () => answers.shift()!);
  const first = assert.rejects(
    resolver.resolve("a.test"),
    /no answer to the name lookup within 5 s/,
  );
  clock.move(5_000);
  await first;
  assert.deepEqual(await resolver.resolve("a.test"), ["10.0.0.1"]);
});

test("a failure is not remembered", async () => {
  const answers = [Promise.reject(new Error("away")), Promise.resolve(["10.0.0.1"])];
  const resolver = new NameResolver(standingClock(), () => answers.shift()!);
  await assert.rejects(resolver.resolve("a.test"), /away/);
  assert.deepEqual(await resolver.resolve("a.test"), ["10.0.0.1"]);
});
