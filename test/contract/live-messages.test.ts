import assert from "node:assert/strict";

import type { AddressFilter } from "../../src/core/model/message/log-filter.ts";
import { LIVE_ROWS_READ_MAX } from "../../src/store/reader/messages.ts";
import { contract, type Scene } from "./scene.ts";

async function list(scene: Scene, filter: AddressFilter = {}, accountId = "account") {
  const { reader } = scene.store;
  const upTo = (await reader.messages.lastLive(accountId)) ?? "";
  const page = await reader.messages.live(accountId, filter, { after: "", upTo, count: 500 });
  assert.equal(page.next, null);
  return page.items;
}

contract("messages that have not ended", (promise) => {
  promise("are listed by id, whether they wait or are under way", async (scene) => {
    assert.equal(await scene.store.reader.messages.lastLive("account"), null);
    await scene.publishAll(["c", "a", "b", "d"]);
    await scene.publish("e", { accountId: "other" });
    const leased = await scene.claim({ slots: 3 });
    const delivered = leased.find(({ message }) => message.accountId === "account");
    assert.ok(delivered);
    await scene.deliver(delivered);
    const left = ["a", "b", "c", "d"].filter((id) => id !== delivered.message.messageId);
    assert.deepEqual(await list(scene), left);
    assert.equal(await scene.store.reader.messages.lastLive("account"), left.at(-1));
    assert.deepEqual(await list(scene, {}, "other"), ["e"]);
  });

  promise("are not listed once they are canceled", async (scene) => {
    await scene.publishAll(["a", "b", "c"], { url: "https://one.test/" });
    const [first] = await scene.claim({ slots: 1 });
    assert.ok(first);
    await scene.cancel(first.message.messageId);
    assert.equal((await list(scene)).length, 2);
    assert.equal((await list(scene, { hosts: ["one.test"] })).length, 2);
  });

  promise("are found by everything that is known of them", async (scene) => {
    await scene.publish("plain");
    scene.clock.advance(10);
    const madeAt = scene.now;
    await scene.publish("rich", {
      url: "https://host.test:8443/path/x?y=1",
      urlGroup: "topic",
      scheduleId: "schedule",
      queueName: "queue",
      labels: ["one", "two"],
      callerIp: "192.0.2.9",
      flowControl: { key: "key", periodMs: 1_000 },
    });
    const filters: AddressFilter[] = [
      { urls: ["https://host.test:8443/path/x?y=1"] },
      { urlPrefixes: ["https://other.test/", "https://host.test:8443/path"] },
      { search: "TEST:8443" },
      { search: "Two" },
      { urlGroups: ["other", "topic"] },
      { scheduleIds: ["schedule"] },
      { queueNames: ["queue"] },
      { labels: ["two", "three"] },
      { callerIps: ["192.0.2.9"] },
      { flowControlKeys: ["key"] },
      { hosts: ["host.test"] },
      { hosts: ["host.test:8443"] },
      { paths: ["/path/x"] },
      { fromAt: madeAt },
      { labels: ["one"], hosts: ["host.test"], toAt: madeAt },
    ];
    for (const filter of filters) {
      assert.deepEqual(await list(scene, filter), ["rich"], JSON.stringify(filter));
    }
    assert.deepEqual(await list(scene, { toAt: madeAt - 1 }), ["plain"]);
    assert.deepEqual(await list(scene, { labels: ["one"], hosts: ["example.test"] }), []);
    assert.deepEqual(await list(scene, { paths: ["/path"] }), []);
  });

  promise("are read a bounded number at a time, up to an id", async (scene) => {
    const count = LIVE_ROWS_READ_MAX + 10;
    const ids = Array.from({ length: count }, (_, index) => `m${String(index).padStart(5, "0")}`);
    await scene.publishAll(ids.slice(0, -1), { delayMs: 1_000_000 });
    await scene.publish(ids.at(-1) ?? "", { labels: ["needle"], delayMs: 1_000_000 });
    const { reader } = scene.store;
    const upTo = ids.at(-1) ?? "";
    const filter = { labels: ["needle"] };
    const first = await reader.messages.live("account", filter, { after: "", upTo, count: 5 });
    assert.deepEqual(first, { items: [], next: ids[LIVE_ROWS_READ_MAX - 1] });
    const after = first.next ?? "";
    const second = await reader.messages.live("account", filter, { after, upTo, count: 5 });
    assert.deepEqual(second, { items: [ids.at(-1)], next: null });
    const few = await reader.messages.live(
      "account",
      {},
      { after: "", upTo: ids[3] ?? "", count: 2 },
    );
    assert.deepEqual(few, { items: ids.slice(0, 2), next: ids[1] });
    const rest = await reader.messages.live(
      "account",
      {},
      {
        after: ids[1] ?? "",
        upTo: ids[3] ?? "",
        count: 5,
      },
    );
    assert.deepEqual(rest, { items: ids.slice(2, 4), next: null });
  });
});
