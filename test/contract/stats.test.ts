/** What happened to the messages of an account is counted in steps, and equals what its log says. */
import assert from "node:assert/strict";
import {
  quantileMs,
  STAT_STEPS_MS,
  type StatPoint,
  startOfStep,
  type Stats,
} from "../../src/core/model/account/stats.ts";
import type { StatRange } from "../../src/store/reader.ts";
import { contract, type Scene } from "./scene.ts";

const EVER = { fromAt: 0, toAt: Number.MAX_SAFE_INTEGER };
const MINUTES = { step: "minute", ...EVER } as const;
const MANY = 100;

contract("stats", (promise) => {
  promise("nothing is shown before it is recorded, and then all of it, once", async (scene) => {
    await scene.publishAll(["a", "b"]);
    assert.deepEqual(await scene.store.reader.stats.series("account", MINUTES), []);
    assert.equal(await scene.store.recordStats(MANY), false);
    assert.equal(await scene.store.recordStats(MANY), false);
    const [point, ...others] = await scene.store.reader.stats.series("account", MINUTES);
    assert.deepEqual(others, []);
    assert.equal(point?.startAt, startOfStep(scene.now, "minute"));
    assert.equal(point.published, 2);
  });

  promise("each kind of end is counted, with how long its attempts took", async (scene) => {
    await scene.publishAll(["delivered", "dead", "retried", "canceled"]);
    await scene.cancel("canceled");
    const at = scene.now;
    for (const leased of await scene.claim()) {
      const verdict = VERDICTS[leased.lease.messageId]!;
      const attempt = { startedAt: at, endedAt: at + 40 };
      await scene.settle(leased, { verdict: verdict(at), attempt });
    }
    const counted = await recorded(scene);
    assert.deepEqual(counted, {
      published: 4,
      attempts: 3,
      failedAttempts: 2,
      delivered: 1,
      deadLettered: 1,
      canceled: 1,
      durationMs: 120,
      durations: [0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    });
    assert.deepEqual(await scene.store.totals(), counted);
    assert.equal(quantileMs(counted, 1), 50);
  });

  promise("minutes, hours and days add up to the same", async (scene) => {
    for (let minute = 0; minute < 70; minute++) {
      await scene.publish(`m-${minute}`);
      if (minute % 7 === 0) await scene.store.recordStats(MANY);
      scene.clock.advance(STAT_STEPS_MS.minute);
    }
    await scene.store.recordStats(MANY);
    const { stats } = scene.store.reader;
    for (const step of ["minute", "hour", "day"] as const) {
      const points = await stats.series("account", { step, ...EVER });
      const starts = points.map(({ startAt }) => startAt);
      const inOrder = [...new Set(starts)].toSorted((one, other) => one - other);
      assert.deepEqual(starts, inOrder, step);
      assert.ok(starts.every((startAt) => startAt === startOfStep(startAt, step)));
      assert.equal(sum(points, "published"), 70, step);
    }
    assert.equal((await stats.series("account", MINUTES)).length, 70);
    const from = scene.now - 10 * STAT_STEPS_MS.minute;
    const range: StatRange = {
      step: "minute",
      fromAt: startOfStep(from, "minute"),
      toAt: scene.now,
    };
    assert.equal(sum(await stats.series("account", range), "published"), 10);
  });

  promise("a range has the step that begins it, and not the one that ends it", async (scene) => {
    const start = startOfStep(scene.now + STAT_STEPS_MS.hour, "hour");
    scene.clock.advance(start - scene.now);
    for (const step of ["minute", "hour"] as const) {
      const stepMs = STAT_STEPS_MS[step];
      const from = startOfStep(scene.now + stepMs, step);
      scene.clock.advance(from - scene.now);
      for (const at of [0, stepMs - 1, stepMs]) {
        scene.clock.advance(from + at - scene.now);
        await scene.publish(`${step}-${at}`);
        await scene.deliver(await scene.claimOne());
      }
      await scene.store.recordStats(MANY);
      const { stats } = scene.store.reader;
      const publishedIn = async (fromAt: number, toAt: number): Promise<number> =>
        sum(await stats.series("account", { step, fromAt, toAt }), "published");
      assert.equal(await publishedIn(from, from + stepMs), 2, step);
      assert.equal(await publishedIn(from, from + stepMs + 1), 3, step);
      assert.equal(await publishedIn(from + 1, from + stepMs + 1), 1, step);
      assert.equal(await publishedIn(from + stepMs, from + stepMs), 0, step);
      if (step === "minute") continue;
      const attemptsSince = async (fromAt: number): Promise<number> =>
        (await stats.hosts("account", fromAt, 1))[0]?.attempts ?? 0;
      assert.equal(await attemptsSince(from), 3);
      assert.equal(await attemptsSince(from + 1), 1);
      assert.equal(await attemptsSince(from + stepMs), 1);
      assert.equal(await attemptsSince(from + stepMs + 1), 0);
    }
  });

  promise("accounts are recorded a few at a time", async (scene) => {
    for (let index = 0; index < 5; index++) {
      await scene.publish(`m-${index}`, { accountId: `account-${index}` });
    }
    assert.equal(await scene.store.recordStats(2), true);
    assert.equal(await scene.store.recordStats(2), true);
    assert.equal(await scene.store.recordStats(2), false);
    for (let index = 0; index < 5; index++) {
      const points = await scene.store.reader.stats.series(`account-${index}`, MINUTES);
      assert.equal(sum(points, "published"), 1);
    }
  });

  promise("hosts are told apart, the busiest first", async (scene) => {
    const hosts = ["one.test", "two.test", "two.test", "three.test", "three.test", "three.test"];
    for (const [index, host] of hosts.entries()) {
      await scene.publish(`m-${index}`, { url: `https://${host}/` });
    }
    for (const leased of await scene.claim()) {
      if (leased.host.includes("two")) await scene.kill(leased);
      else await scene.deliver(leased);
    }
    await scene.store.recordStats(MANY);
    const read = await scene.store.reader.stats.hosts("account", 0, 2);
    const hours = { step: "hour", ...EVER, host: "two.test" } as const;
    const ofTwo = await scene.store.reader.stats.series("account", hours);
    assert.equal(
      ofTwo.reduce((sum, { attempts }) => sum + attempts, 0),
      2,
    );
    assert.deepEqual(
      read.map(({ host, attempts, failedAttempts }) => [hostName(host), attempts, failedAttempts]),
      [
        ["three.test", 3, 0],
        ["two.test", 2, 2],
      ],
    );
  });

  promise("of many hosts the busiest and those that fail are kept", async (scene) => {
    for (let index = 0; index < 30; index++) {
      const url = `https://host-${String(index).padStart(2, "0")}.test/`;
      await scene.publish(`m-${index}`, { url });
      if (index >= 10 && index < 20) await scene.publish(`again-${index}`, { url });
    }
    for (const leased of await scene.claim()) {
      if (leased.host.includes("host-29")) await scene.kill(leased);
      else await scene.deliver(leased);
    }
    await scene.store.recordStats(MANY);
    const read = await scene.store.reader.stats.hosts("account", 0, 100);
    const names = read.map(({ host }) => hostName(host));
    assert.equal(names.length, 11);
    assert.equal(names.at(-1), "host-29.test");
    assert.equal(names[0], "host-10.test");
  });

  promise("old steps are swept, each after its own time", async (scene) => {
    await scene.publish("old");
    await scene.deliver(await scene.claimOne());
    await scene.store.recordStats(MANY);
    const { stats } = scene.store.reader;
    const left = async (): Promise<number[]> => [
      (await stats.series("account", MINUTES)).length,
      (await stats.hosts("account", 0, 10)).length,
      (await stats.series("account", { step: "hour", ...EVER })).length,
      (await stats.series("account", { step: "day", ...EVER })).length,
    ];
    const sweptAfter = async (days: number): Promise<number[]> => {
      const now = scene.now + days * STAT_STEPS_MS.day;
      await scene.store.sweep({ now, countsBefore: 0, keysBefore: 0, pageMax: 10 });
      return left();
    };
    assert.deepEqual(await sweptAfter(0.9), [1, 1, 1, 1]);
    assert.deepEqual(await sweptAfter(1.9), [0, 1, 1, 1]);
    assert.deepEqual(await sweptAfter(30), [0, 0, 1, 1]);
    assert.deepEqual(await sweptAfter(399), [0, 0, 0, 1]);
    assert.deepEqual(await sweptAfter(402), [0, 0, 0, 0]);
  });
});

const VERDICTS: Readonly<
  Record<string, (at: number) => Parameters<Scene["settle"]>[1]["verdict"]>
> = {
  delivered: () => ({ kind: "delivered" }),
  dead: () => ({ kind: "dead" }),
  retried: (at) => ({ kind: "retry", readyAt: at + 60_000 }),
};

async function recorded(scene: Scene): Promise<Stats> {
  await scene.store.recordStats(MANY);
  const points = await scene.store.reader.stats.series("account", MINUTES);
  assert.equal(points.length, 1);
  const { startAt: _, ...stats } = points[0]!;
  return stats;
}

/** A host of the store names the port too. */
const hostName = (host: string): string => host.split(":")[0]!;

const sum = (points: readonly StatPoint[], name: "published"): number =>
  points.reduce((all, point) => all + point[name], 0);
