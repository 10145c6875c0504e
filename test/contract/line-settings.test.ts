import assert from "node:assert/strict";
import {
  KEY_PREFIX,
  keyLine,
  QUEUE_DEFAULT,
  queueLine,
  type UsedLine,
} from "../../src/core/model/line/line.ts";
import { aPublish } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

const KEY = { accountId: "account", line: keyLine("key") };
const QUEUE = { accountId: "account", line: queueLine("queue") };
const DAY = 86_400_000;
const under = (key: string) => ({ flowControl: { key, periodMs: 1000 } });
const keyed = under("key");

function says(parallelism: number | null, rate: number | null = null): UsedLine {
  return { ...KEY, limits: { parallelism, rate, periodMs: 1000, paused: false } };
}

/** Publishes a message that says something of its lines. */
async function use(scene: Scene, messageId: string, ...uses: readonly UsedLine[]): Promise<void> {
  const item = scene.item(messageId, keyed);
  await scene.act(aPublish(scene.now, { ...item, message: { ...item.message, uses } }));
}

async function limitsOf(scene: Scene, key = KEY) {
  return (await scene.store.reader.lines.report(key, scene.now))?.setting.limits;
}

function sweep(scene: Scene): Promise<{ removed: number }> {
  const { now } = scene;
  return scene.store.sweep({ now, countsBefore: 0, keysBefore: now - DAY, pageMax: 10 });
}

/** Lines that are empty are looked at twice before they are left alone. */
async function fallAsleep(scene: Scene): Promise<void> {
  for (let looks = 0; looks < 2; looks++) {
    scene.clock.advance(2000);
    await scene.claim();
  }
}

contract("what publishers say of a key", (promise) => {
  promise("it rules from the next claim on, the newest before the others", async (scene) => {
    await use(scene, "a", says(1));
    await use(scene, "b", says(2));
    await use(scene, "c", says(2));
    assert.equal((await scene.claim()).length, 2);
    await use(scene, "d", says(1));
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await limitsOf(scene))?.parallelism, 1);
  });

  promise("of several at once one rules, whole", async (scene) => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => use(scene, `m${index}`, says(index + 1, index + 1))),
    );
    const limits = await limitsOf(scene);
    assert.equal(limits?.parallelism, limits?.rate);
  });

  promise(
    "it keeps a pause and what is pinned, and its first sets when it began",
    async (scene) => {
      await use(scene, "a", says(1, 1));
      const createdAt = scene.now;
      scene.clock.advance(5);
      await scene.act({
        rule: "set-line",
        ...KEY,
        at: scene.now,
        patch: { paused: true, parallelism: 9, isParallelismPinned: true },
        ifMissing: "refuse",
        queuesMax: null,
      });
      scene.clock.advance(5);
      await use(scene, "b", says(2, 2));
      const setting = (await scene.store.reader.lines.report(KEY, scene.now))?.setting;
      assert.deepEqual(setting?.limits, { parallelism: 9, rate: 2, periodMs: 1000, paused: true });
      assert.deepEqual([setting?.createdAt, setting?.updatedAt], [createdAt, scene.now]);
      assert.deepEqual(await scene.claimIds(), []);
    },
  );

  promise(
    "who says the old limits again has changed them, if another spoke between",
    async (scene) => {
      const updatedAt = async () =>
        (await scene.store.reader.lines.report(KEY, scene.now))?.setting.updatedAt;
      await use(scene, "a", says(1, 1));
      scene.clock.advance(5);
      await use(scene, "b", says(1, 2), says(1, 1));
      assert.equal(await updatedAt(), scene.now);
      scene.clock.advance(5);
      await use(scene, "c", says(2, 1), says(1, 1), says(1, 1));
      assert.equal(await updatedAt(), scene.now);
      const changedAt = scene.now;
      scene.clock.advance(5);
      await use(scene, "d", says(1, 1), says(1, 1));
      assert.equal(await updatedAt(), changedAt);
    },
  );

  promise("of many it is known which are set", async (scene) => {
    await use(scene, "a", says(1, 1));
    const other = { ...KEY, accountId: "another" };
    const keys = [other, KEY, { ...KEY, line: queueLine("none") }, KEY];
    assert.deepEqual(await scene.store.reader.lines.areSet(keys), [false, true, false, true]);
    assert.deepEqual(await scene.store.reader.lines.areSet([]), []);
  });

  promise("what is pinned is not changed by who speaks between", async (scene) => {
    await use(scene, "a", says(1, 1));
    await scene.act({
      rule: "set-line",
      ...KEY,
      at: scene.now,
      patch: { isRatePinned: true },
      ifMissing: "refuse",
      queuesMax: null,
    });
    const pinnedAt = scene.now;
    scene.clock.advance(5);
    await use(scene, "b", says(1, 2), says(1, 1));
    assert.equal(
      (await scene.store.reader.lines.report(KEY, scene.now))?.setting.updatedAt,
      pinnedAt,
    );
  });

  promise("a set and a publish in one group both come true, in either order", async (scene) => {
    const pause = {
      rule: "set-line",
      ...KEY,
      at: scene.now,
      patch: { paused: true },
      ifMissing: "add",
      queuesMax: null,
    } as const;
    await Promise.all([use(scene, "a", says(3)), scene.act(pause)]);
    assert.deepEqual(await limitsOf(scene), {
      parallelism: 3,
      rate: null,
      periodMs: 1000,
      paused: true,
    });
    await Promise.all([scene.act(pause), use(scene, "b", says(4))]);
    assert.equal((await limitsOf(scene))?.parallelism, 4);
  });
});

contract("what was set of lines", (promise) => {
  promise("one queue too many is refused, however many ask at once", async (scene) => {
    await scene.addAccount("account");
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        scene.act({
          rule: "set-line",
          accountId: "account",
          line: queueLine(`q${index}`),
          at: scene.now,
          patch: {},
          ifMissing: "add",
          queuesMax: 3,
        }),
      ),
    );
    assert.deepEqual(answers.toSorted(), [...Array<string>(5).fill("full"), "set", "set", "set"]);
    assert.equal(await scene.store.reader.lines.countQueues("account"), 3);
  });

  promise("a rate that is reset begins a new window and lets others start", async (scene) => {
    await scene.limit(KEY.line, { rate: 1, periodMs: DAY });
    await scene.publishAll(["a", "b"], keyed);
    assert.equal((await scene.claim()).length, 1);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1000);
    await scene.act({
      rule: "set-line",
      ...KEY,
      at: scene.now,
      patch: {},
      ifMissing: "refuse",
      queuesMax: null,
      resetsRate: true,
    });
    const report = await scene.store.reader.lines.report(KEY, scene.now);
    const { windowStartedAt, windowStarts, waiting } = report!.status;
    assert.deepEqual([windowStartedAt, windowStarts, waiting], [scene.now, 0, 1]);
    assert.equal((await scene.claim()).length, 1);
    assert.equal((await scene.store.reader.lines.report(KEY, scene.now))?.status.windowStarts, 1);
  });

  promise("keys are found by a part of their name, in order, up to so many", async (scene) => {
    for (const key of ["b%", "a_1", "a%1", "ab", "q:a"]) await scene.limit(keyLine(key), {});
    await scene.limit(queueLine("a%1"), {});
    const names = async (search: string, count = 10): Promise<string[]> => {
      const found = await scene.store.reader.lines.list(
        "account",
        KEY_PREFIX,
        search,
        count,
        scene.now,
      );
      return found.map(({ setting }) => setting.line.slice(2));
    };
    assert.deepEqual(await names(""), ["a%1", "a_1", "ab", "b%", "q:a"]);
    assert.deepEqual(await names("%"), ["a%1", "b%"]);
    assert.deepEqual(await names("_"), ["a_1"]);
    assert.deepEqual(await names("A"), []);
    assert.deepEqual(await names("k:"), []);
    assert.deepEqual(await names("a", 2), ["a%1", "a_1"]);
  });

  promise("a queue that is published onto while it is removed is there or gone", async (scene) => {
    await scene.limit(QUEUE.line, {});
    const uses = [{ ...QUEUE, limits: QUEUE_DEFAULT }];
    const item = scene.item("a", { queueName: "queue" });
    const publish = aPublish(scene.now, { ...item, message: { ...item.message, uses } });
    await Promise.all([
      scene.act({ rule: "unset-line", at: scene.now, ...QUEUE }),
      scene.act(publish),
    ]);
    assert.notEqual(await scene.store.reader.lines.report(QUEUE, scene.now), null);
    assert.deepEqual(await scene.claimIds(), ["a"]);
  });
});

contract("keys that are no longer used", (promise) => {
  promise("they are forgotten after a day, and no sooner", async (scene) => {
    await use(scene, "a", says(1));
    await scene.deliver(await scene.claimOne());
    await fallAsleep(scene);
    scene.clock.advance(DAY - 5000);
    assert.equal((await sweep(scene)).removed, 0);
    scene.clock.advance(DAY + 5000);
    assert.equal((await sweep(scene)).removed, 1);
    assert.equal(await scene.store.reader.lines.report(KEY, scene.now), null);
    assert.deepEqual((await scene.claimed()).leased, []);
  });

  promise(
    "they stay when they are paused or pinned, or hold or expect a message",
    async (scene) => {
      const setting = { parallelism: 1 };
      for (const key of ["waits", "active", "behind"]) await scene.limit(keyLine(key), setting);
      await scene.limit(keyLine("paused"), { ...setting, paused: true });
      for (const pin of ["isParallelismPinned", "isRatePinned"]) {
        await scene.limit(keyLine(pin), { ...setting, [pin]: true });
      }
      await scene.limit(QUEUE.line, { parallelism: 1, paused: true });
      await scene.publish("active", under("active"));
      await scene.claimOne();
      await scene.publish("waits", { ...under("waits"), delayMs: 9 * DAY });
      await scene.publish("behind", { ...under("behind"), queueName: "queue" });
      await scene.claim();
      await scene.limit(keyLine("idle"), setting);
      await fallAsleep(scene);
      scene.clock.advance(2 * DAY);
      assert.equal((await sweep(scene)).removed, 1);
      scene.clock.advance(2 * DAY);
      assert.equal((await sweep(scene)).removed, 0);
      const left = await scene.store.reader.lines.list("account", KEY_PREFIX, "", 10, scene.now);
      assert.equal(left.length, 6);
    },
  );

  promise("a rate of a week is remembered for its week", async (scene) => {
    await scene.limit(KEY.line, { rate: 1, periodMs: 7 * DAY });
    await scene.publishAll(["a", "b"], keyed);
    await scene.deliver(await scene.claimOne());
    await scene.cancel("b");
    await scene.claim();
    scene.clock.advance(3 * DAY);
    await sweep(scene);
    await use(scene, "c", {
      ...says(null, 1),
      limits: { ...says(null, 1).limits, periodMs: 7 * DAY },
    });
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(4 * DAY);
    assert.deepEqual(await scene.claimIds(), ["c"]);
  });
});
