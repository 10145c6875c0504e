/** Pages are cut by what their bodies take up, before those are read. */
import assert from "node:assert/strict";

import { type Page, PAGE_BYTES_MAX, type PageRequest } from "../../src/store/reader/page.ts";
import { contract, type Scene } from "./scene.ts";

const PAGE: PageRequest = { after: null, count: 100, order: "earliestFirst" };
/** Three of them have room in a page. */
const BODY = new Uint8Array(PAGE_BYTES_MAX / 4 + 1_000).fill(7);
const LARGE = new Uint8Array(PAGE_BYTES_MAX + 1_000).fill(8);
const KEY = { accountId: "account", messageId: "message" };

contract("lists of large bodies", (promise) => {
  promise("a page ends before the entry that has no room in it", async (scene) => {
    const ids = ["a", "b", "c", "d", "e"];
    for (const id of ids) await die(scene, id, BODY);
    const pages = await pagesOf((page) => scene.store.reader.deadLetters.list("account", {}, page));
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ message }) => message.messageId)),
      [
        ["a", "b", "c"],
        ["d", "e"],
      ],
    );
  });

  promise("an entry larger than a page is one of its own, with room asked for", async (scene) => {
    for (const [id, body] of [
      ["a", BODY],
      ["b", LARGE],
      ["c", BODY],
    ] as const) {
      await die(scene, id, body);
    }
    const asked: number[] = [];
    const reserve = (bytes: number): Promise<void> => {
      asked.push(bytes);
      return Promise.resolve();
    };
    const pages = await pagesOf((page) =>
      scene.store.reader.deadLetters.list("account", {}, { ...page, reserve }),
    );
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ body }) => body.byteLength)),
      [[BODY.byteLength], [LARGE.byteLength], [BODY.byteLength]],
    );
    assert.equal(asked.length, 1);
    assert.ok(asked[0]! >= LARGE.byteLength);
  });

  promise("what is refused room is not read", async (scene) => {
    await die(scene, "a", LARGE);
    const page = { ...PAGE, reserve: refuse };
    const list = scene.store.reader.deadLetters.list("account", {}, page);
    await assert.rejects(list, /no room/);
  });

  promise("a body is read in parts, and told from one that is gone", async (scene) => {
    const body = Uint8Array.from({ length: 10 }, (_, index) => index);
    await scene.publish("message", { body });
    const { reader } = scene.store;
    assert.deepEqual((await reader.messages.get(KEY, 4))?.body, Uint8Array.of(0, 1, 2, 3));
    assert.deepEqual((await reader.messages.get(KEY, 0))?.body, new Uint8Array(0));
    assert.deepEqual((await reader.messages.get(KEY))?.body, body);
    const part = async (from: number) => [
      ...((await reader.messages.bodyPart(KEY, from, 4)) ?? []),
    ];
    assert.deepEqual(
      [await part(0), await part(4), await part(8), await part(12)],
      [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9], []],
    );
    assert.equal(await reader.messages.bodyPart({ ...KEY, accountId: "other" }, 0, 4), null);
  });

  promise("a leased message has its body whole, once and again", async (scene) => {
    const sizes = [0, 262_144, 262_145, 1_000_000];
    for (const size of sizes) {
      const body = Uint8Array.from({ length: size }, (_, index) => (index * 7) ^ (index >> 8));
      await scene.publish(`of ${size}`, { body });
    }
    const granted = (await scene.claim()).map(({ lease, host, attempts }) => {
      return { ...lease, host, attempts };
    });
    for (const leased of [await scene.store.leased(granted), await scene.store.leased(granted)]) {
      const found = leased.map(({ body }) => body.byteLength);
      assert.deepEqual(
        found.toSorted((left, right) => left - right),
        sizes,
      );
      for (const { body } of leased) {
        assert.ok(body.every((byte, index) => byte === (((index * 7) ^ (index >> 8)) & 255)));
      }
    }
  });
});

function refuse(): Promise<void> {
  return Promise.reject(new Error("no room"));
}

async function die(scene: Scene, messageId: string, body: Uint8Array): Promise<void> {
  await scene.publish(messageId, { body });
  await scene.kill(await scene.claimOne());
}

async function pagesOf<Item>(
  read: (page: PageRequest) => Promise<Page<Item>>,
): Promise<Page<Item>[]> {
  const pages: Page<Item>[] = [];
  let after: string | null = null;
  do {
    const page: Page<Item> = await read({ ...PAGE, after });
    pages.push(page);
    after = page.next;
  } while (after !== null);
  return pages;
}
