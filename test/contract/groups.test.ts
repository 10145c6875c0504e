import assert from "node:assert/strict";

import { Problem } from "../../src/core/problem.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { GroupCommit } from "../../src/store/group/group-commit.ts";
import { aMessage, aPublish, aPublishItem, bytes } from "../support/messages.ts";
import { contract } from "./scene.ts";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";

contract("groups", (promise) => {
  promise("one faulty act fails alone, and its neighbours are made true", async (scene) => {
    await scene.publishAll(["taken", "leased"]);
    const leased = (await scene.claim()).find(({ lease }) => lease.messageId === "leased")!;
    const results = await Promise.allSettled([
      scene.publish("before"),
      scene.publish("taken"),
      scene.deliver(leased),
      scene.publish("after"),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled", "fulfilled"],
    );
    assert.equal(await scene.phase("leased"), "DELIVERED");
    assert.deepEqual((await scene.claimIds()).toSorted(), ["after", "before"]);
  });

  promise(
    "a message may be made, leased, settled and retried in the group that made it",
    async (scene) => {
      const lease = { accountId: "account", messageId: "a", fence: 1 };
      const message = aMessage({ messageId: "a", createdAt: scene.now });
      const leased = { lease, message, body: bytes(""), host: "example.test", attempts: 0 };
      const [, settled, canceled] = await Promise.all([
        scene.publish("a", { leasedBy: "node" }),
        scene.retry(leased, 0),
        scene.cancel("b"),
        scene.publish("b"),
      ]);
      assert.deepEqual([settled, canceled], ["settled", { canceled: 0, inFlight: 0 }]);
      assert.deepEqual((await scene.claimIds()).toSorted(), ["a", "b"]);
    },
  );

  promise("a message that ends in the group that made it leaves its log behind", async (scene) => {
    const [, answer] = await Promise.all([scene.publish("a"), scene.cancel("a")]);
    assert.deepEqual(answer, { canceled: 1, inFlight: 0 });
    assert.deepEqual(await scene.states("a"), ["CREATED", "CANCEL_REQUESTED", "CANCELED"]);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("hundreds of acts at once are all answered, each with its own answer", async (scene) => {
    const ids = Array.from({ length: 700 }, (_, index) => `message-${index}`);
    const answers = await Promise.all(
      ids.map((id) => scene.act(aPublish(scene.now, scene.item(id)))),
    );
    assert.deepEqual(
      answers.map(([answer]) => answer?.messageId),
      ids,
    );
    assert.equal((await scene.store.reader.upkeep.counts()).waiting, ids.length);
  });
});

test("no caller is answered before the group is written", async () => {
  const written = Promise.withResolvers<void>();
  const groups = new GroupCommit({
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: async (acts) => {
      await written.promise;
      return acts.map(() => ({ ok: true, answer: "written" }));
    },
  });
  let answered = false;
  const submitted = groups.submit(aPublish(0, aPublishItem()));
  void submitted.then(() => (answered = true));
  await turnsOfTheLoop();
  assert.equal(answered, false);
  written.resolve();
  assert.equal(await submitted, "written");
});

test("another group begins beside one that is being written, once enough waits for it", async () => {
  const written = Promise.withResolvers<void>();
  const sizes: number[] = [];
  const groups = new GroupCommit({
    groupsMax: 2,
    rowsWorthAGroup: 100,
    write: async (acts) => {
      sizes.push(acts.length);
      await written.promise;
      return acts.map(() => ({ ok: true, answer: null }));
    },
  });
  const batch = aPublish(0, ...Array.from({ length: 60 }, () => aPublishItem()));
  const submitted: Promise<unknown>[] = [];
  const sizesAfter: number[][] = [];
  for (let count = 0; count < 5; count++) {
    submitted.push(groups.submit(batch));
    await turnsOfTheLoop();
    sizesAfter.push([...sizes]);
  }
  assert.deepEqual(sizesAfter, [[1], [1], [1, 2], [1, 2], [1, 2]]);
  written.resolve();
  await Promise.all(submitted);
  assert.deepEqual(sizes, [1, 2, 2]);
});

test("acts of requests that arrive together share a group, and for as long as more arrive", async () => {
  const sizes: number[] = [];
  const groups = new GroupCommit({
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: (acts) => {
      sizes.push(acts.length);
      return Promise.resolve(acts.map(() => ({ ok: true, answer: null })));
    },
  });
  const submitted: Promise<unknown>[] = [];
  const arrive = async (count: number): Promise<void> => {
    for (let request = 0; request < count; request++) {
      // Requests that have arrived are handled one after the other, each with its microtasks.
      await Promise.resolve();
      submitted.push(groups.submit(aPublish(0, aPublishItem())));
    }
    await nextTurn();
  };
  await arrive(3);
  await arrive(2);
  await turnsOfTheLoop();
  for (let turn = 0; turn < 40; turn++) await arrive(2);
  await Promise.all(submitted);
  const [first, ...steady] = sizes;
  assert.equal(first, 5);
  // A steady stream of requests keeps none of them waiting for long.
  assert.ok(steady.length >= 4 && steady.length <= 8, steady.join());
});

test("a group that cannot be written resolves for no caller", async () => {
  const groups = new GroupCommit({
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: () => Promise.reject(new Error("no disk")),
  });
  await assert.rejects(groups.submit(aPublish(0, aPublishItem())), /no disk/);
  await groups.drain();
});

test("callers are answered in time, and what the engine records waits on", async () => {
  const written = Promise.withResolvers<void>();
  const clock = new ManualClock();
  const groups = new GroupCommit({
    clock,
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: async (acts) => {
      await written.promise;
      return acts.map(() => ({ ok: true, answer: "written" }));
    },
  });
  const lease = { accountId: "account", messageId: "a", fence: 1 };
  const underWay = groups.submit(aPublish(0, aPublishItem()));
  const settled = groups.submit({ rule: "hand-back", at: 0, lease });
  await turnsOfTheLoop();
  const waiting = groups.submit(aPublish(0, aPublishItem()));
  const refused = assert.rejects(underWay, /it may have been stored/);
  const shed = assert.rejects(waiting, /the store is busy/);
  for (let second = 0; second < 6; second++) clock.advance(1_000);
  await Promise.all([refused, shed]);
  written.resolve();
  assert.equal(await settled, "written");
  await groups.drain();
});

test("it is idle when all that waited was refused before its group began", async () => {
  const clock = new ManualClock();
  const write = Promise.withResolvers<never>();
  const groups = new GroupCommit({
    clock,
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: () => write.promise,
  });
  const underWay = assert.rejects(groups.submit(aPublish(0, aPublishItem())), /no disk/);
  await turnsOfTheLoop();
  const waiting = assert.rejects(groups.submit(aPublish(0, aPublishItem())), /the store is busy/);
  let isIdle = false;
  void groups.drain().then(() => (isIdle = true));
  for (let second = 0; second < 5; second++) clock.advance(1_000);
  write.reject(new Error("no disk"));
  await underWay;
  clock.advance(1_000);
  await waiting;
  await turnsOfTheLoop();
  assert.equal(isIdle, true);
});

test("callers wait on while the store confirms other groups", async () => {
  const clock = new ManualClock();
  const writes: PromiseWithResolvers<void>[] = [];
  const groups = new GroupCommit({
    clock,
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: async (acts) => {
      const written = Promise.withResolvers<void>();
      writes.push(written);
      await written.promise;
      return acts.map(() => ({ ok: true, answer: "written" }));
    },
  });
  const body = new Uint8Array(17 * 1024 * 1024);
  const submitted = Array.from({ length: 3 }, () =>
    groups.submit(aPublish(0, aPublishItem({ body }))),
  );
  for (let group = 0; group < 3; group++) {
    await turnsOfTheLoop();
    for (let second = 0; second < 5; second++) clock.advance(1_000);
    writes[group]!.resolve();
  }
  assert.deepEqual(await Promise.all(submitted), ["written", "written", "written"]);
});

test("a full disk is known until a write finds room", async () => {
  let error: unknown = new Problem("disk-low", "full", 5);
  const groups = new GroupCommit({
    clock: new ManualClock(),
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: (acts) =>
      Promise.resolve(
        acts.map(() => (error === null ? { ok: true, answer: null } : { ok: false, error })),
      ),
  });
  const publish = () => groups.submit(aPublish(0, aPublishItem())).catch(() => undefined);
  assert.equal(groups.isDiskFull, false);
  await publish();
  assert.equal(groups.isDiskFull, true);
  groups.foundRoom();
  assert.equal(groups.isDiskFull, false);
  await publish();
  error = new Problem("overloaded", "away", 1);
  await publish();
  assert.equal(groups.isDiskFull, false);
  error = null;
  await publish();
  assert.equal(groups.isDiskFull, false);
});

test("new work is refused when too much waits, and work under way is not", async () => {
  const written = Promise.withResolvers<void>();
  const groups = new GroupCommit({
    groupsMax: 1,
    rowsWorthAGroup: 1,
    write: async (acts) => {
      await written.promise;
      return acts.map(() => ({ ok: true, answer: null }));
    },
  });
  const accepted = Array.from({ length: 5_000 }, () => groups.submit(aPublish(0, aPublishItem())));
  const refused = groups.submit(aPublish(0, aPublishItem()));
  await assert.rejects(refused, (error) => error instanceof Problem && error.kind === "overloaded");
  const lease = { accountId: "account", messageId: "a", fence: 1 };
  accepted.push(groups.submit({ rule: "hand-back", at: 0, lease }) as never);
  written.resolve();
  assert.equal((await Promise.all(accepted)).length, 5_001);
  await groups.drain();
});

/** Long enough for a group to begin. */
async function turnsOfTheLoop(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}
