/** Queues and flow-control keys, by a third-party client, unmodified. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client } from "@upstash/qstash";
import { textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import { until } from "../support/eventually.ts";

journeys("the public QStash client", {}, (journey) => {
  let client: Client;
  before(() => {
    const { url, token } = journey.service;
    client = new Client({ baseUrl: url, token, enableTelemetry: false });
  });

  test("makes, changes, lists and deletes queues", async () => {
    const queue = client.queue({ queueName: "by-client" });
    await queue.upsert({});
    assert.deepEqual(pick(await queue.get()), ["by-client", 1, 0, false]);
    await queue.upsert({ parallelism: 3, paused: true });
    assert.deepEqual(pick(await queue.get()), ["by-client", 3, 0, true]);
    const found = await client.queue().list();
    assert.deepEqual(
      found.map(({ name }) => name),
      ["by-client"],
    );
    const { createdAt, updatedAt } = await queue.get();
    assert.ok(createdAt <= updatedAt && updatedAt <= Date.now());
    await queue.delete();
    await assert.rejects(queue.get(), /queue by-client not found/);
    await queue.delete();
  });

  test("enqueues, pauses and resumes", async () => {
    const { destination } = journey;
    const queue = client.queue({ queueName: "orders" });
    await queue.upsert({ parallelism: 1 });
    await queue.pause();
    const json = await queue.enqueueJSON({ url: `${destination.url}/one`, body: { n: 1 } });
    const text = await queue.enqueue({ url: `${destination.url}/two`, body: "2" });
    const flowControl = { key: "orders", parallelism: 5, rate: 100, period: "2m" as const };
    await queue.enqueue({ url: `${destination.url}/three`, flowControl });
    assert.equal((await queue.get()).lag, 3);
    assert.equal((await queue.get()).paused, true);
    await queue.resume();
    await destination.received("/three");
    const order = destination.requests.map(({ url }) => url);
    assert.deepEqual(order, ["/one", "/two", "/three"]);
    const [first] = destination.to("/one");
    assert.equal(textOf(first), '{"n":1}');
    assert.equal(first?.headers["content-type"], "application/json");
    assert.equal(first?.headers["upstash-message-id"], json.messageId);
    assert.equal(destination.to("/two")[0]?.headers["upstash-message-id"], text.messageId);
    const logs = await client.logs({ filter: { queueName: "orders" } });
    assert.equal(new Set(logs.logs.map(({ messageId }) => messageId)).size, 3);
    await until(async () => (await queue.get()).lag === 0, "no lag");
  });

  test("reads, pins, unpins, pauses and resets keys", async () => {
    const { destination } = journey;
    const key = "k/1 2";
    const { flowControl } = client;
    const publish = (parallelism: number) =>
      client.publish({
        url: `${destination.url}/keyed`,
        delay: 3_600,
        flowControl: { key, parallelism, rate: 10, period: 60 },
      });
    await assert.rejects(flowControl.get(key), /not found/);
    await publish(2);
    const { ratePeriodStart, ...first } = await flowControl.get(key);
    assert.equal(typeof ratePeriodStart, "number");
    assert.deepEqual(first, {
      flowControlKey: key,
      waitListSize: 0,
      parallelismMax: 2,
      parallelismCount: 0,
      rateMax: 10,
      rateCount: 0,
      ratePeriod: 60,
      isPaused: false,
      isPinnedParallelism: false,
      isPinnedRate: false,
    });
    await flowControl.pin(key, { parallelism: 7, rate: 3, period: 120 });
    await publish(4);
    const pinned = await flowControl.get(key);
    assert.deepEqual([pinned.parallelismMax, pinned.rateMax, pinned.ratePeriod], [7, 3, 120]);
    assert.ok(pinned.isPinnedParallelism && pinned.isPinnedRate);
    await flowControl.unpin(key, { parallelism: true });
    await publish(5);
    const unpinned = await flowControl.get(key);
    assert.deepEqual([unpinned.parallelismMax, unpinned.rateMax], [5, 3]);
    await flowControl.pause(key);
    assert.equal((await flowControl.get(key)).isPaused, true);
    await flowControl.resetRate(key);
    assert.equal((await flowControl.get(key)).rateCount, 0);
    await flowControl.resume(key);
    assert.equal((await flowControl.get(key)).isPaused, false);
    assert.deepEqual(await flowControl.getGlobalParallelism(), {
      parallelismMax: 0,
      parallelismCount: 0,
    });
  });

  test("is told what is wrong", async () => {
    const { flowControl } = client;
    const queue = client.queue({ queueName: "no/slash" });
    await assert.rejects(queue.upsert({}), /queueName/);
    await assert.rejects(
      client.queue({ queueName: "q" }).upsert({ parallelism: 0 }),
      /parallelism: must be at least 1/,
    );
    await assert.rejects(flowControl.pin("k", { rate: 1, period: 604_801 }), /longer than a week/);
    await assert.rejects(flowControl.resetRate("unknown"), /unknown not found/);
  });
});

type ShownQueue = Awaited<ReturnType<ReturnType<Client["queue"]>["get"]>>;

function pick({ name, parallelism, lag, paused }: ShownQueue): unknown[] {
  return [name, parallelism, lag, paused];
}
