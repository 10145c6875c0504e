import assert from "node:assert/strict";

import { BEFORE_FIRST_SCHEDULE, type ScheduleCursor } from "../../src/store/reader/schedules.ts";
import { anAccount } from "../support/messages.ts";
import { aPutSchedule, scheduleKey, tickingOn } from "../support/schedules.ts";
import { contract } from "./scene.ts";
import { scheduleOf } from "./schedule-scene.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

contract("schedules", (promise) => {
  promise("one with a known id replaces all but its age and its rest", async (scene) => {
    await scene.addAccount("account");
    await scene.act(aPutSchedule(scene.now, "a", { queueName: "q" }));
    const first = await scheduleOf(scene, "a");
    await scene.act({
      rule: "pause-schedule",
      at: scene.now,
      key: scheduleKey("a"),
      isPaused: true,
    });
    scene.clock.advance(90_000);
    await scene.act(aPutSchedule(scene.now, "a", { cron: "0 0 * * *", version: "2" }));
    const second = await scheduleOf(scene, "a");
    assert.equal(second.createdAt, first.createdAt);
    assert.equal(second.isPaused, true);
    assert.equal(second.queueName, undefined);
    assert.equal(second.version, "2");
    assert.equal(second.nextAt, (Math.floor(scene.now / DAY) + 1) * DAY);
    const listed = await scene.store.reader.schedules.list("account", "", 10, 1_000);
    assert.deepEqual(
      listed.map(({ schedule }) => schedule),
      [second],
    );
  });

  promise("concurrent creations never exceed the account's limit", async (scene) => {
    const account = anAccount({ plan: "paid", overrides: { schedulesMax: 3 } });
    await scene.act({ rule: "add-account", account });
    const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
    const answers = await Promise.all(ids.map((id) => scene.act(aPutSchedule(scene.now, id))));
    assert.equal(answers.filter(({ limit }) => limit === null).length, 3);
    assert.equal(answers.filter(({ limit }) => limit === 3).length, 7);
    const there = await scene.store.reader.schedules.list("account", "", 100, 10_000);
    assert.equal(there.length, 3);
    const again = await scene.act(aPutSchedule(scene.now, there[0]!.schedule.scheduleId));
    assert.deepEqual(again, { limit: null });
  });

  promise("the body comes back as it was, and a tick does not touch it", async (scene) => {
    await scene.addAccount("account");
    const body = new Uint8Array([0, 255, 1, 0]);
    await scene.act({ ...aPutSchedule(scene.now, "a"), body });
    scene.clock.advance(2 * MINUTE);
    await tickingOn(scene.store, scene.clock).ticker.runOnce();
    const stored = await scene.store.reader.schedules.get(scheduleKey("a"));
    assert.deepEqual(Buffer.from(stored!.body), Buffer.from(body));
    const [leased] = await scene.claim();
    assert.deepEqual(Buffer.from(leased!.body), Buffer.from(body));
  });

  promise("what is due is read in pages that bodies bound", async (scene) => {
    await scene.addAccount("account");
    for (const id of ["a", "b", "c"]) {
      await scene.act({ ...aPutSchedule(scene.now, id), body: new Uint8Array(600) });
    }
    scene.clock.advance(MINUTE);
    const due = async (
      count: number,
      bytesMax: number,
      after: ScheduleCursor = BEFORE_FIRST_SCHEDULE,
    ): Promise<string[]> => {
      const found = await scene.store.reader.schedules.due(scene.now, after, count, bytesMax);
      return found.map(({ schedule }) => schedule.scheduleId);
    };
    assert.deepEqual(await due(10, 10_000), ["a", "b", "c"]);
    assert.deepEqual(await due(2, 10_000), ["a", "b"]);
    assert.deepEqual(await due(10, 1_300), ["a", "b"]);
    assert.deepEqual(await due(10, 1), ["a"]);
    const first = await scheduleOf(scene, "a");
    assert.deepEqual(await due(10, 10_000, { ...first, nextAt: first.nextAt ?? 0 }), ["b", "c"]);
    const early = scene.now - MINUTE;
    assert.deepEqual(
      await scene.store.reader.schedules.due(early, BEFORE_FIRST_SCHEDULE, 10, 1_000),
      [],
    );
    const listed = await scene.store.reader.schedules.list("account", "a", 10, 700);
    assert.deepEqual(
      listed.map(({ schedule }) => schedule.scheduleId),
      ["b"],
    );
  });

  promise("those that fire later are walked through in their order", async (scene) => {
    await scene.addAccount("account");
    for (const [id, cron] of [
      ["a", "0 0 1 1 *"],
      ["b", "* * * * *"],
      ["c", "* * * * *"],
    ] as const) {
      await scene.act(aPutSchedule(scene.now, id, { cron }));
    }
    const seen: string[] = [];
    let cursor = { nextAt: scene.now, accountId: "", scheduleId: "" };
    for (;;) {
      const [next] = await scene.store.reader.schedules.later(cursor, 1);
      if (next === undefined) break;
      seen.push(next.scheduleId);
      cursor = { ...next, nextAt: next.nextAt ?? 0 };
    }
    assert.deepEqual(seen, ["b", "c", "a"]);
    assert.equal(
      (await scene.store.reader.upkeep.upcoming()).tickAt,
      (await scheduleOf(scene, "b")).nextAt,
    );
  });

  promise("the last states of messages come in the order that was asked for", async (scene) => {
    await scene.publish("a");
    await scene.deliver(await scene.claimOne());
    await scene.publish("b");
    const states = await scene.store.reader.messages.lastStates("account", ["b", "missing", "a"]);
    assert.deepEqual(states, ["CREATED", null, "DELIVERED"]);
    assert.deepEqual(await scene.store.reader.messages.lastStates("other", ["a"]), [null]);
  });
});
