/** The public client, unmodified: groups, batches, queues and cancelling. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client } from "@upstash/qstash";
import { textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";

journeys("the public QStash client, sending many", {}, (journey) => {
  let client: Client;
  before(() => {
    const { url, token } = journey.service;
    client = new Client({ baseUrl: url, token, enableTelemetry: true });
  });

  test("makes, reads, changes and deletes URL groups", async () => {
    const startedAt = Date.now();
    await client.urlGroups.addEndpoints({
      name: "sdk-group",
      endpoints: [
        { name: "endpoint 1", url: "https://one.example/" },
        { name: "endpoint 2", url: "https://two.example/" },
      ],
    });
    const group = await client.urlGroups.get("sdk-group");
    assert.equal(group.name, "sdk-group");
    assert.ok(group.createdAt >= startedAt && group.updatedAt >= startedAt);
    assert.deepEqual(group.endpoints, [
      { name: "endpoint 1", url: "https://one.example/" },
      { name: "endpoint 2", url: "https://two.example/" },
    ]);
    await client.urlGroups.removeEndpoints({
      name: "sdk-group",
      endpoints: [{ name: "endpoint 1" }],
    });
    const list = await client.urlGroups.list();
    assert.deepEqual(
      list.map(({ name, endpoints }) => [name, endpoints.length]),
      [["sdk-group", 1]],
    );
    await client.urlGroups.delete("sdk-group");
    assert.deepEqual(await client.urlGroups.list(), []);
    await assert.rejects(client.urlGroups.get("sdk-group"), /topic sdk-group not found/);
    await assert.rejects(client.publish({ urlGroup: "sdk-group" }), /topic sdk-group not found/);
  });

  test("publishes and enqueues to a group", async () => {
    const { destination } = journey;
    const urls = ["a", "b"].map((path) => `${destination.url}/sdk/${path}`);
    const endpoints = urls.map((url) => ({ url }));
    await client.urlGroups.addEndpoints({ name: "fan-out", endpoints });
    const published = await client.publishJSON({ urlGroup: "fan-out", body: { hello: "all" } });
    assert.deepEqual(
      published.map(({ url }) => url),
      urls,
    );
    const [request] = await destination.received("/sdk/b");
    assert.equal(request.headers["upstash-topic-name"], "fan-out");
    assert.equal(textOf(request), '{"hello":"all"}');
    const message = await client.messages.get(published[0]?.messageId ?? "");
    assert.equal(message.urlGroup, "fan-out");
    const queue = client.queue({ queueName: "sdk-queue" });
    const enqueued = await queue.enqueueJSON({ urlGroup: "fan-out", body: { in: "line" } });
    assert.equal(enqueued.length, 2);
    await destination.received("/sdk/a", 2);
    const text = await client.publish({ urlGroup: "fan-out", body: "text" });
    assert.equal(text.length, 2);
    const one = await queue.enqueue({ url: `${destination.url}/sdk/one`, body: "1" });
    await destination.received("/sdk/one");
    assert.equal((await client.messages.get(one.messageId)).queueName, "sdk-queue");
  });

  test("sends batches to URLs, groups and queues", async () => {
    const { destination } = journey;
    const endpoints = [
      { url: `${destination.url}/batch/a` },
      { url: `${destination.url}/batch/b` },
    ];
    await client.urlGroups.addEndpoints({ name: "batched", endpoints });
    const answers = await client.batchJSON([
      {
        url: `${destination.url}/batch/one`,
        body: { n: 1 },
        headers: { "X-Own": "yes" },
        retries: 1,
      },
      { urlGroup: "batched", body: { n: 2 } },
      { url: `${destination.url}/batch/queued`, queueName: "batch-queue", body: { n: 3 } },
      { urlGroup: "batched", queueName: "batch-queue", body: { n: 4 } },
      { urlGroup: "nobody", body: {} },
    ]);
    const [one, group, queued, queuedGroup, missing] = answers as unknown[];
    const { messageId } = one as { messageId: string };
    assert.equal((group as unknown[]).length, 2);
    assert.equal((queuedGroup as unknown[]).length, 2);
    assert.deepEqual(missing, {
      error: "topic nobody not found",
      code: "not-found",
      field: "destination",
    });
    const [request] = await destination.received("/batch/one");
    assert.equal(request.headers["upstash-message-id"], messageId);
    assert.equal(request.headers["x-own"], "yes");
    assert.equal(request.headers["content-type"], "application/json");
    assert.equal(textOf(request), '{"n":1}');
    const inQueue = await client.messages.get((queued as { messageId: string }).messageId);
    assert.equal(inQueue.queueName, "batch-queue");
    await destination.received("/batch/b", 2);
    const plain = await client.batch([
      { url: `${destination.url}/batch/text`, body: "text", method: "PUT", delay: 0 },
    ]);
    assert.equal(plain.length, 1);
    const [text] = await destination.received("/batch/text");
    assert.equal(text.method, "PUT");
    assert.deepEqual(await client.batch([]), []);
  });

  test("cancels by id, by ids, by filter, and everything", async () => {
    const { destination } = journey;
    const later = async (path: string, label: string): Promise<string> =>
      (await client.publish({ url: `${destination.url}${path}`, delay: 3_600, label })).messageId;
    const ids = [
      await later("/c1", "l1"),
      await later("/c2", "l1"),
      await later("/c3", "l2"),
      await later("/c4", "l3"),
      await later("/c5", "l3"),
      await later("/c6", "l3"),
    ] as const;
    assert.deepEqual(await client.messages.cancel(ids[0]), { cancelled: 1 });
    assert.deepEqual(await client.messages.cancel([ids[0], ids[1]]), { cancelled: 1 });
    assert.deepEqual(await client.messages.cancel([]), { cancelled: 0 });
    assert.deepEqual(await client.messages.cancel({ filter: { label: ["l2", "none"] } }), {
      cancelled: 1,
    });
    const { host } = new URL(destination.url);
    assert.deepEqual(await client.messages.cancel({ filter: { host, path: "/c4" } }), {
      cancelled: 1,
    });
    assert.deepEqual(await client.messages.cancel({ filter: { fromDate: Date.now() + 1_000 } }), {
      cancelled: 0,
    });
    assert.deepEqual(await client.messages.cancel({ filter: { label: "l3" }, count: 1 }), {
      cancelled: 1,
    });
    assert.deepEqual(await client.messages.cancel({ filter: { label: "l3" } }), { cancelled: 1 });
    await Promise.all(Array.from({ length: 101 }, () => later("/c7", "l4")));
    assert.deepEqual(await client.messages.cancel({ all: true }), { cancelled: 101 });
    assert.deepEqual(await client.messages.cancel({ all: true }), { cancelled: 0 });
  });
});
