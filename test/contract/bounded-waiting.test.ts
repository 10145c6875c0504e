/**
 * Why messages wait is found out of a bounded number of rows. BOUNDED_WORK=full stores as much as
 * `npm run prove` does.
 */
import assert from "node:assert/strict";

import { KEY_PREFIX, keyLine, QUEUE_PREFIX, queueLine } from "../../src/core/model/line/line.ts";
import {
  WAITING_FIRST_COUNT,
  WAITING_LINE_ROWS_MAX,
  WAITING_LINES_MAX,
  WAITING_ROWS_MAX,
} from "../../src/store/reader/lines.ts";
import { ROWS_READ_MAX } from "../../src/store/reader/page.ts";
import type { CostOf } from "../support/counted-work.ts";
import { countedContract } from "./counted-stores.ts";
import { publishMany, useLines } from "./many-messages.ts";
import type { MessageWish } from "../support/messages.ts";
import type { Scene } from "./scene.ts";

const isFull = process.env["BOUNDED_WORK"] === "full";
/** Reading all of them costs clearly more than reading the most that may be read. */
const MANY = (isFull ? 3 : 1.25) * WAITING_ROWS_MAX;

countedContract("bounded reads of what waits", (promise) => {
  promise("counting stops, and the counts say so", async (scene, costOf) => {
    await publishMany(scene, WAITING_ROWS_MAX, delayed);
    const some = await waitingCost(scene, costOf);
    const [exact] = await linesOf(scene);
    assert.equal(exact?.delayed?.count, WAITING_ROWS_MAX);
    await publishMany(scene, MANY - WAITING_ROWS_MAX, delayed);
    const many = await waitingCost(scene, costOf);
    const [line] = await linesOf(scene);
    assert.deepEqual([line?.delayed?.count, line?.delayed?.isAbout], [WAITING_ROWS_MAX, true]);
    assert.ok(many <= 1.1 * some, `${many} after ${some}`);
    // Two large lines share the count, and a small one is exact.
    await publishMany(scene, WAITING_ROWS_MAX / 2 + 1, () => ({
      url: "https://also-large.test/",
      delayMs: 1_000_000,
    }));
    await publishMany(scene, 7, () => ({ url: "https://small.test/", delayMs: 1_000_000 }));
    const counts = (await linesOf(scene)).map(({ delayed: group }) => group?.count);
    assert.deepEqual(counts, [WAITING_ROWS_MAX / 2, WAITING_ROWS_MAX / 2, 7]);
  });

  promise(
    "what many small lines leave over is counted in the large ones",
    async (scene, costOf) => {
      const [small, inSmall] = [100, WAITING_FIRST_COUNT + 5];
      await publishMany(scene, small * inSmall, (index) => ({
        url: `https://small-${index % small}.test/`,
        delayMs: 1_000_000,
      }));
      const addLarge = (count: number): Promise<void> =>
        publishMany(scene, count, (index) => ({
          url: `https://large-${index % 2}.test/`,
          delayMs: 1_000_000,
        }));
      await addLarge(5_000);
      const groups = (await linesOf(scene)).map(({ delayed: group }) => group!);
      const counts = groups.map(({ count }) => count);
      assert.deepEqual(counts, [2_500, 2_500, ...Array.from({ length: small }, () => inSmall)]);
      assert.ok(groups.every(({ isAbout }) => !isAbout));
      await addLarge(WAITING_ROWS_MAX);
      const some = await waitingCost(scene, costOf);
      await addLarge(MANY - WAITING_ROWS_MAX);
      const many = await waitingCost(scene, costOf);
      assert.ok(many <= 1.1 * some, `${many} after ${some}`);
      const [large] = await linesOf(scene);
      assert.ok(large?.delayed?.isAbout);
      assert.ok(large.delayed.count > WAITING_ROWS_MAX / 3, `${large.delayed.count}`);
    },
  );

  promise("of many lines some are read, and the answer says so", async (scene, costOf) => {
    const hosts = (count: number) => async (): Promise<number> => {
      await publishMany(scene, count, (index) => ({
        url: `https://host-${index}.test/`,
        delayMs: 1_000_000,
      }));
      return waitingCost(scene, costOf);
    };
    const some = await hosts(WAITING_LINE_ROWS_MAX)();
    const many = await hosts((isFull ? 8 : 2) * WAITING_LINE_ROWS_MAX)();
    const { lines, isPartial } = await scene.store.reader.lines.waiting("account", scene.now);
    assert.deepEqual([lines.length, isPartial], [WAITING_LINES_MAX, true]);
    assert.ok(many <= 1.5 * some, `${many} after ${some}`);
    assert.ok(lines.every(({ delayed: group }) => group!.count < WAITING_FIRST_COUNT));
  });

  promise(
    "keys that are no longer used are passed by in a bounded number",
    async (scene, costOf) => {
      await useLines(scene, WAITING_LINE_ROWS_MAX, keyed(0));
      const some = await waitingCost(scene, costOf);
      await useLines(scene, WAITING_LINE_ROWS_MAX, keyed(WAITING_LINE_ROWS_MAX));
      const many = await waitingCost(scene, costOf);
      const { lines, isPartial } = await scene.store.reader.lines.waiting("account", scene.now);
      assert.deepEqual([lines, isPartial], [[], true]);
      assert.ok(many <= 1.5 * some, `${many} after ${some}`);
    },
  );
});

countedContract("bounded lists of lines", (promise) => {
  promise("large queues share one count, and small ones are exact", async (scene, costOf) => {
    await addLines(scene, ["large-0", "large-1", "small"].map(queueLine));
    await publishMany(scene, 7, () => ({ queueName: "small" }));
    await publishMany(scene, WAITING_ROWS_MAX, large);
    const expected = [WAITING_ROWS_MAX / 2, WAITING_ROWS_MAX / 2, 7];
    assert.deepEqual(await waitingIn(scene, QUEUE_PREFIX), expected);
    const some = await costOf(async () => void (await waitingIn(scene, QUEUE_PREFIX)));
    scene.clock.advance(1);
    await publishMany(scene, MANY - WAITING_ROWS_MAX, large);
    assert.deepEqual(await waitingIn(scene, QUEUE_PREFIX), expected);
    const many = await costOf(async () => void (await waitingIn(scene, QUEUE_PREFIX)));
    assert.ok(many <= 1.1 * some, `${many} after ${some}`);
  });

  promise("of very many keys each is counted a little", async (scene, costOf) => {
    const count = WAITING_ROWS_MAX / WAITING_FIRST_COUNT + 50;
    await addLines(
      scene,
      Array.from({ length: count }, (_, index) => keyLine(`key-${index}`)),
    );
    const one = (index: number): MessageWish => keyed(0)(index % count);
    await publishMany(scene, count * WAITING_FIRST_COUNT, one);
    const some = await costOf(async () => void (await waitingIn(scene, KEY_PREFIX)));
    await publishMany(scene, MANY - WAITING_ROWS_MAX, one);
    const many = await costOf(async () => void (await waitingIn(scene, KEY_PREFIX)));
    const counts = await waitingIn(scene, KEY_PREFIX);
    assert.deepEqual([counts.length, ...new Set(counts)], [count, WAITING_FIRST_COUNT]);
    assert.ok(many <= 1.1 * some, `${many} after ${some}`);
  });
});

/** Only lines with settings are listed. */
async function addLines(scene: Scene, lines: readonly string[]): Promise<void> {
  await Promise.all(lines.map((line) => scene.limit(line, { paused: true })));
}

/** What waits in each of the lines whose names begin so, by name. */
async function waitingIn({ store, now }: Scene, prefix: string): Promise<number[]> {
  const found = await store.reader.lines.list("account", prefix, "", ROWS_READ_MAX, now);
  return found.map(({ status }) => status.waiting);
}

const keyed = (from: number) => (index: number) => ({
  flowControl: { key: `key-${from + index}`, periodMs: 1_000 },
});
const large = (index: number): MessageWish => ({ queueName: `large-${index % 2}` });
const delayed = () => ({ delayMs: 1_000_000 });

async function linesOf({ store, now }: Scene) {
  return (await store.reader.lines.waiting("account", now)).lines;
}

async function waitingCost({ store, now }: Scene, costOf: CostOf): Promise<number> {
  return costOf(async () => void (await store.reader.lines.waiting("account", now)));
}
