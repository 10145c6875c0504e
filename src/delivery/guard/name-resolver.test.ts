import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../platform/clock.ts";
import { NameResolver } from "./name-resolver.ts";

/** A clock that stands still until it is moved. */
function standingClock(): Clock & { move(ms: number): void; readonly timers: number } {
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
    get timers() {
      return timers.size;
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
  assert.ok(resolver.isKnown("a.test"));
  clock.move(1);
  assert.ok(!resolver.isKnown("a.test"), "an old answer counts as none for the account that asks");
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

test("all who ask for a name get the old answer while its name server is silent", async () => {
  const clock = standingClock();
  const answers = [Promise.resolve(["10.0.0.1"])];
  const resolver = new NameResolver(clock, () => answers.shift() ?? new Promise(() => {}));
  await resolver.resolve("a.test");
  assert.equal(clock.timers, 0);
  clock.move(30_000);
  const both = [resolver.resolve("a.test"), resolver.resolve("a.test")];
  await turn();
  clock.move(1_000);
  assert.deepEqual(await Promise.all(both), [["10.0.0.1"], ["10.0.0.1"]]);
});

test("a failure is not remembered", async () => {
  const answers = [Promise.reject(new Error("away")), Promise.resolve(["10.0.0.1"])];
  const resolver = new NameResolver(standingClock(), () => answers.shift()!);
  await assert.rejects(resolver.resolve("a.test"), /away/);
  assert.deepEqual(await resolver.resolve("a.test"), ["10.0.0.1"]);
});

test("while no name server answers, an answer is used for ten minutes and not longer", async () => {
  const clock = standingClock();
  const asked: string[] = [];
  let isSilent = false;
  const resolver = new NameResolver(clock, (host) => {
    asked.push(host);
    return isSilent ? new Promise(() => {}) : Promise.resolve(["10.0.0.1"]);
  });
  await resolver.resolve("a.test");
  isSilent = true;
  clock.move(30_000);
  assert.deepEqual(await answeredAfter(1_000), ["10.0.0.1"]);
  assert.equal(asked.length, 2);
  // It is not asked for again at once.
  clock.move(4_999);
  await turn();
  assert.deepEqual(await resolver.resolve("a.test"), ["10.0.0.1"]);
  assert.equal(asked.length, 2);
  clock.move(600_000 - 30_000 - 1_000 - 4_999 - 1_001);
  assert.deepEqual(await answeredAfter(1_000), ["10.0.0.1"]);
  clock.move(5_000);
  await turn();
  await assert.rejects(answeredAfter(5_000), /no answer to the name lookup/);

  async function answeredAfter(ms: number): Promise<readonly string[]> {
    const answer = resolver.resolve("a.test");
    await turn();
    clock.move(ms);
    return answer;
  }
});

test("an answer that becomes too old while another is awaited is not used", async () => {
  const clock = standingClock();
  const answers = [Promise.resolve(["10.0.0.1"])];
  const resolver = new NameResolver(clock, () => answers.shift() ?? new Promise(() => {}));
  await resolver.resolve("a.test");
  clock.move(599_500);
  const refused = assert.rejects(resolver.resolve("a.test"), /no answer to the name lookup/);
  await turn();
  clock.move(1_000);
  await refused;
});

test("very many names are known, and the one that was looked up first is forgotten", async () => {
  const clock = standingClock();
  let isSilent = false;
  const answer = Promise.resolve(["10.0.0.1"]);
  const resolver = new NameResolver(clock, () => (isSilent ? new Promise(() => {}) : answer));
  for (let number = 0; number <= 10_000; number++) await resolver.resolve(`${number}.test`);
  const isKnown = [0, 1, 10_000].map((number) => resolver.isKnown(`${number}.test`));
  assert.deepEqual(isKnown, [false, true, true]);
  clock.move(30_000);
  await resolver.resolve("10000.test");
  isSilent = true;
  const first = resolver.resolve("1.test");
  await turn();
  clock.move(1_000);
  assert.deepEqual(
    await first,
    ["10.0.0.1"],
    "a name that is looked up again takes no other's place",
  );
});

for (const code of ["ENOTFOUND", "ENODATA"]) {
  test(`a name that is gone is forgotten at once (${code})`, () => forgetsGone(code));
}

async function forgetsGone(code: string): Promise<void> {
  const clock = standingClock();
  const gone = Object.assign(new Error("no such host"), { code });
  const answers = [Promise.resolve(["10.0.0.1"]), Promise.reject(gone)];
  for (const answer of answers) answer.catch(() => undefined);
  const resolver = new NameResolver(clock, () => answers.shift() ?? new Promise(() => {}));
  await resolver.resolve("a.test");
  clock.move(30_000);
  await assert.rejects(resolver.resolve("a.test"), /no such host/);
  assert.equal(resolver.isKnown("a.test"), false);
  const later = assert.rejects(resolver.resolve("a.test"), /no answer to the name lookup/);
  await turn();
  clock.move(5_000);
  await later;
}

test("one account has 32 lookups under way, and does not hold up another", async () => {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  const resolver = new NameResolver(standingClock(), (host) => {
    asked.push(host);
    return new Promise((resolve) => waiting.push(() => resolve(["10.0.0.1"])));
  });
  const all = Array.from({ length: 40 }, (_, index) => resolver.resolve(`${index}.test`, "loud"));
  await turn();
  assert.equal(asked.length, 32);
  all.push(resolver.resolve("other.test", "quiet"));
  await turn();
  assert.equal(asked.at(-1), "other.test");
  while (waiting.length > 0) {
    waiting.shift()!();
    await turn();
  }
  await Promise.all(all);
  assert.equal(asked.length, 41);
  const inOrder = Array.from({ length: 40 }, (_, index) => `${index}.test`);
  assert.deepEqual(
    asked.filter((host) => host !== "other.test"),
    inOrder,
  );
  // What has ended takes nothing from those after it.
  const again = Array.from({ length: 33 }, (_, index) =>
    resolver.resolve(`b${index}.test`, "loud"),
  );
  await turn();
  assert.equal(asked.length, 41 + 32);
  while (waiting.length > 0) {
    waiting.shift()!();
    await turn();
  }
  await Promise.all(again);
});

test("a lookup that waited for its turn uses what another account has looked up", async () => {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  const resolver = new NameResolver(standingClock(), (host) => {
    asked.push(host);
    return new Promise((resolve) => waiting.push(() => resolve(["10.0.0.1"])));
  });
  const all = Array.from({ length: 32 }, (_, index) => resolver.resolve(`${index}.test`, "loud"));
  all.push(resolver.resolve("known.test", "loud"), resolver.resolve("asked.test", "loud"));
  await turn();
  all.push(resolver.resolve("known.test", "quiet"), resolver.resolve("asked.test", "quiet"));
  await turn();
  assert.deepEqual(asked.slice(32), ["known.test", "asked.test"]);
  waiting.splice(32, 1)[0]!();
  await turn();
  while (waiting.length > 0) {
    waiting.shift()!();
    await turn();
  }
  await Promise.all(all);
  assert.equal(asked.length, 34);
});

/** Lets everything run that waits for no clock. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
