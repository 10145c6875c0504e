/** A list that looks at many rows gives other lists and reads their turn in between. */
import assert from "node:assert/strict";

import type { PageRequest } from "../../src/store/reader/page.ts";
import { contract, type Scene } from "./scene.ts";

const ROWS = 12_000;
const AT_ONCE = 2_000;
const PAGE: PageRequest = { after: null, count: 10, order: "latestFirst" };
const NOTHING = { urls: ["https://nothing.test/"] };

contract("lists in slices", (promise) => {
  promise("a short list and a read are answered while a long list goes on", async (scene) => {
    await fill(scene);
    const { reader } = scene.store;
    const order: string[] = [];
    const noted = async (name: string, answer: Promise<unknown>): Promise<void> => {
      await answer;
      order.push(name);
    };
    const long = noted("long", reader.messages.log("account", NOTHING, { ...PAGE, count: ROWS }));
    const others = [
      noted("list", reader.messages.log("account", {}, PAGE)),
      noted("read", reader.messages.get({ accountId: "account", messageId: "message-1" })),
    ];
    await Promise.all([long, ...others]);
    assert.equal(order.at(-1), "long");
  });

  promise("a list that is read in slices misses nothing and repeats nothing", async (scene) => {
    await fill(scene);
    const wanted = { urls: ["https://wanted.test/"] };
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: PageRequest = { after, count: 5, order: "earliestFirst" };
      const { items, next } = await scene.store.reader.messages.log("account", wanted, page);
      assert.ok(items.length <= 5);
      seen.push(...items.map(({ entry }) => entry.messageId));
      after = next;
    } while (after !== null);
    assert.deepEqual(seen, wantedIds());
  });
});

/** Every thousandth message goes to another destination than the rest. */
async function fill(scene: Scene): Promise<void> {
  for (let start = 0; start < ROWS; start += AT_ONCE) {
    const ids = Array.from({ length: AT_ONCE }, (_, index) => start + index);
    const others = ids.filter((id) => id % 1_000 !== 0).map(nameOf);
    const wanted = ids.filter((id) => id % 1_000 === 0).map(nameOf);
    await scene.publishAll(wanted, { url: "https://wanted.test/" });
    await scene.publishAll(others, { url: "https://others.test/" });
  }
}

const nameOf = (id: number): string => `message-${id}`;

function wantedIds(): string[] {
  return Array.from({ length: ROWS / 1_000 }, (_, index) => nameOf(index * 1_000));
}
