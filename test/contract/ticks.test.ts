import assert from "node:assert/strict";
import type { TickAnswer } from "../../src/core/rules/schedule/schedules.ts";
import { aPutSchedule, aTick, scheduleKey, tickingOn } from "../support/schedules.ts";
import { contract, type Scene } from "./scene.ts";
import { dueSchedule, scheduleOf } from "./schedule-scene.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

contract("ticks", (promise) => {
  promise("of many who fire the same tick one makes its message", async (scene) => {
    await scene.addAccount("account");
    const schedule = await dueSchedule(scene, "a");
    const tries = Array.from({ length: 8 }, (_, index) =>
      scene.act({ rule: "tick", at: scene.now, ticks: [aTick(schedule, `m${index}`)] }),
    );
    const answers = (await Promise.all(tries)).flat();
    assert.deepEqual(answers.toSorted(), ["fired", ...Array<TickAnswer>(7).fill("void")]);
    assert.equal((await scene.claim()).length, 1);
    const after = await scheduleOf(scene, "a");
    assert.equal(after.nextAt, (schedule.nextAt ?? 0) + MINUTE);
    assert.equal(after.lastAt, scene.now);
    assert.equal(after.lastMessageIds?.length, 1);
  });

  promise("many tickers at once make one message for each instant", async (scene) => {
    await scene.addAccount("account");
    const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
    for (const id of ids) await scene.act(aPutSchedule(scene.now, id));
    const tickers = Array.from({ length: 4 }, () => tickingOn(scene.store, scene.clock).ticker);
    for (let minute = 0; minute < 3; minute++) {
      scene.clock.advance(MINUTE);
      await Promise.all(tickers.map((ticker) => ticker.runOnce()));
    }
    for (const id of ids) assert.equal(await publishedBy(scene, id), 3);
  });

  promise(
    "the last ten ticks are kept with their messages, also those that failed",
    async (scene) => {
      await scene.addAccount("account");
      const fired = await dueSchedule(scene, "a");
      const tickOf = (schedule: typeof fired, id: string, more: object) => {
        const tick = aTick(schedule, id);
        return scene.act({
          rule: "tick",
          at: scene.now,
          ticks: [{ ...tick, fired: { ...tick.fired!, ...more } }],
        });
      };
      const skipped = { firstAt: 1, lastAt: 2, count: 3 };
      await tickOf(fired, "m0", { skipped });
      const [newest, missed] = (await scheduleOf(scene, "a")).lastTicks ?? [];
      assert.deepEqual(newest?.messageIds, (await scheduleOf(scene, "a")).lastMessageIds);
      assert.equal(newest?.at, scene.now);
      assert.deepEqual(missed, { at: 2, skippedCount: 3 });
      await tickOf(await scheduleOf(scene, "a"), "m1", { messages: [], error: "no luck" });
      for (let nth = 2; nth < 11; nth++) await tickOf(await scheduleOf(scene, "a"), `m${nth}`, {});
      const { lastTicks = [] } = await scheduleOf(scene, "a");
      assert.equal(lastTicks.length, 10);
      assert.deepEqual(lastTicks.at(-1), { at: scene.now, error: "no luck" });
      await scene.act(aPutSchedule(scene.now, "a", { version: "2" }));
      assert.deepEqual((await scheduleOf(scene, "a")).lastTicks, lastTicks);
    },
  );

  promise("a tick of settings that were replaced meanwhile makes nothing", async (scene) => {
    await scene.addAccount("account");
    const old = await dueSchedule(scene, "a");
    await scene.act(aPutSchedule(old.createdAt, "a", { version: "2" }));
    assert.equal((await scheduleOf(scene, "a")).nextAt, old.nextAt);
    const answer = await scene.act({ rule: "tick", at: scene.now, ticks: [aTick(old, "m")] });
    assert.deepEqual(answer, ["void"]);
    assert.deepEqual(await scene.claimIds(), []);
    await scene.act({ rule: "remove-schedule", key: scheduleKey("a") });
    assert.deepEqual(await scene.act({ rule: "tick", at: scene.now, ticks: [aTick(old, "m")] }), [
      "void",
    ]);
    assert.equal(await scene.store.reader.schedules.get(scheduleKey("a")), null);
  });

  promise("a paused tick is passed over, and who resumes makes nothing up", async (scene) => {
    await scene.addAccount("account");
    const { ticker } = tickingOn(scene.store, scene.clock);
    const { nextAt } = await dueSchedule(scene, "a");
    const pause = (isPaused: boolean) =>
      scene.act({ rule: "pause-schedule", at: scene.now, key: scheduleKey("a"), isPaused });
    assert.equal(await pause(true), true);
    assert.equal((await scheduleOf(scene, "a")).nextAt, nextAt);
    await ticker.runOnce();
    const moved = await scheduleOf(scene, "a");
    assert.equal(moved.nextAt, (nextAt ?? 0) + MINUTE);
    assert.deepEqual([moved.lastAt, moved.skipped, moved.error], [undefined, undefined, undefined]);
    scene.clock.advance(10 * MINUTE + 1);
    assert.equal(await pause(false), true);
    assert.equal((await scheduleOf(scene, "a")).nextAt, (nextAt ?? 0) + 11 * MINUTE);
    await ticker.runOnce();
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(MINUTE);
    await ticker.runOnce();
    assert.equal((await scene.claim()).length, 1);
    assert.equal(
      await scene.act({
        rule: "pause-schedule",
        at: scene.now,
        key: scheduleKey("missing"),
        isPaused: true,
      }),
      false,
    );
  });

  promise("a pause that comes while a tick is made wins over it", async (scene) => {
    await scene.addAccount("account");
    const schedule = await dueSchedule(scene, "a");
    const key = scheduleKey("a");
    await scene.act({ rule: "pause-schedule", at: scene.now, key, isPaused: true });
    const answer = await scene.act({ rule: "tick", at: scene.now, ticks: [aTick(schedule, "m")] });
    assert.deepEqual(answer, ["passed"]);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("what was missed is one message and one record of the rest", async (scene) => {
    await scene.addAccount("account");
    const { ticker, logged } = tickingOn(scene.store, scene.clock);
    const { nextAt } = await dueSchedule(scene, "a");
    const firstAt = nextAt ?? 0;
    scene.clock.advance(7 * MINUTE + 5_000);
    await ticker.runOnce();
    const schedule = await scheduleOf(scene, "a");
    const skipped = { firstAt, lastAt: firstAt + 6 * MINUTE, count: 7 };
    assert.deepEqual(schedule.skipped, skipped);
    assert.equal(schedule.nextAt, firstAt + 8 * MINUTE);
    assert.equal(schedule.lastAt, scene.now);
    assert.equal((await scene.claim()).length, 1);
    assert.match(logged.join("\n"), /schedule skipped ticks.*"count":7/);
  });

  promise("what is more than a day late is only recorded", async (scene) => {
    await scene.addAccount("account");
    const { ticker } = tickingOn(scene.store, scene.clock);
    await scene.act(aPutSchedule(scene.now, "a", { cron: "0 0 1 1 *" }));
    const { nextAt } = await scheduleOf(scene, "a");
    scene.clock.advance((nextAt ?? 0) - scene.now + DAY + MINUTE);
    await ticker.runOnce();
    const schedule = await scheduleOf(scene, "a");
    assert.deepEqual(schedule.skipped, { firstAt: nextAt, lastAt: nextAt, count: 1 });
    assert.equal(schedule.lastAt, undefined);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("a clock that steps back a little repeats no tick", async (scene) => {
    await scene.addAccount("account");
    const { ticker, retimer } = tickingOn(scene.store, scene.clock);
    await dueSchedule(scene, "a");
    for (let minute = 0; minute < 3; minute++) {
      await ticker.runOnce();
      scene.clock.advance(MINUTE);
    }
    scene.clock.step(-3 * MINUTE);
    for (let minute = 0; minute < 4; minute++) {
      await retimer.runOnce();
      await ticker.runOnce();
      scene.clock.advance(MINUTE);
    }
    assert.equal(await publishedBy(scene, "a"), 4);
  });

  promise("a clock that was far ahead does not silence a schedule", async (scene) => {
    await scene.addAccount("account");
    const { ticker, retimer } = tickingOn(scene.store, scene.clock);
    const { nextAt } = await dueSchedule(scene, "a");
    scene.clock.step(365 * DAY);
    await ticker.runOnce();
    scene.clock.step(-365 * DAY);
    assert.ok(((await scheduleOf(scene, "a")).nextAt ?? 0) > scene.now + 364 * DAY);
    await retimer.runOnce();
    assert.equal((await scheduleOf(scene, "a")).nextAt, (nextAt ?? 0) + MINUTE);
    await retimer.runOnce();
    scene.clock.advance(MINUTE);
    await ticker.runOnce();
    assert.equal(await publishedBy(scene, "a"), 2);
  });

  promise("a clock that is known to have been ahead skips nothing", async (scene) => {
    await scene.addAccount("account");
    const { ticker, retimer } = tickingOn(scene.store, scene.clock);
    const { nextAt } = await dueSchedule(scene, "a");
    retimer.stepped(30 * MINUTE);
    scene.clock.step(30 * MINUTE);
    await ticker.runOnce();
    retimer.stepped(-30 * MINUTE);
    scene.clock.step(-30 * MINUTE);
    await retimer.runOnce();
    assert.equal((await scheduleOf(scene, "a")).nextAt, (nextAt ?? 0) + MINUTE);
  });

  promise("a group gets one message for each endpoint, as it is then", async (scene) => {
    await scene.addAccount("account");
    const { ticker } = tickingOn(scene.store, scene.clock);
    await scene.act(aPutSchedule(scene.now, "a", { destination: "group" }));
    scene.clock.advance(MINUTE);
    await ticker.runOnce();
    assert.equal((await scheduleOf(scene, "a")).error, "topic group not found");
    assert.deepEqual(await scene.claimIds(), []);
    await putUrlGroup(scene, ["https://a.test/1", "https://b.test/2"]);
    scene.clock.advance(MINUTE);
    await ticker.runOnce();
    const leased = await scene.claim();
    assert.deepEqual(leased.map(({ message }) => message.url).toSorted(), [
      "https://a.test/1",
      "https://b.test/2",
    ]);
    assert.ok(leased.every(({ message }) => message.urlGroup === "group"));
    const schedule = await scheduleOf(scene, "a");
    assert.equal(schedule.error, undefined);
    assert.equal(schedule.lastMessageIds?.length, 2);
  });

  promise("an account that rests makes nothing, and its schedules move on", async (scene) => {
    await scene.addAccount("account");
    const { ticker } = tickingOn(scene.store, scene.clock, () => null);
    const { nextAt } = await dueSchedule(scene, "a");
    await ticker.runOnce();
    assert.equal((await scheduleOf(scene, "a")).nextAt, (nextAt ?? 0) + MINUTE);
    assert.deepEqual(await scene.claimIds(), []);
  });
});

async function publishedBy(scene: Scene, scheduleId: string): Promise<number> {
  const logged = await scene.logged();
  return logged.filter(
    ({ entry, message }) => entry.state === "CREATED" && message.scheduleId === scheduleId,
  ).length;
}

async function putUrlGroup(scene: Scene, urls: readonly string[]): Promise<void> {
  await scene.act({
    rule: "put-endpoints",
    at: scene.now,
    key: { accountId: "account", name: "group" },
    endpoints: urls.map((url) => ({ url })),
    limits: { urlGroupsMax: 10, endpointsPerUrlGroupMax: 10 },
  });
}
