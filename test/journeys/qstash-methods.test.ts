/** Every method of the public QStash client, unmodified, with its documented result. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, Receiver } from "@upstash/qstash";
import { journeys } from "../support/journeys.ts";
import { recordCalls } from "../support/recorded-calls.ts";
import { eventually, until } from "../support/eventually.ts";

journeys("every method of the public QStash client", {}, (journey) => {
  let client: Client;
  let recorded: ReturnType<typeof recordCalls>;
  const url = (path: string): string => `${journey.destination.url}${path}`;

  before(() => {
    const { service } = journey;
    client = new Client({ baseUrl: service.url, token: service.token });
    recorded = recordCalls({
      client,
      dlq: client.dlq,
      messages: client.messages,
      schedules: client.schedules,
      urlGroups: client.urlGroups,
      flowControl: client.flowControl,
      queue: client.queue({ queueName: "any" }),
      receiver: Receiver.prototype,
    });
  });
  after(() => recorded.stop());

  test("publish, publishJSON, batch and batchJSON", async () => {
    const one = await client.publish({ url: url("/p"), body: "text", method: "PUT" });
    assert.match(one.messageId, /^msg_/);
    const two = await client.publishJSON({ url: url("/p"), body: { a: 1 } });
    assert.match(two.messageId, /^msg_/);
    const three = await client.batch([
      { url: url("/b"), body: "one" },
      { url: url("/b"), body: "two", queueName: "batched" },
    ]);
    const four = await client.batchJSON([{ url: url("/b"), body: { three: 3 }, retries: 1 }]);
    assert.equal(three.length + four.length, 3);
    await Promise.all([
      journey.destination.received("/p", 2),
      journey.destination.received("/b", 3),
    ]);
    const bodies = journey.destination.to("/b").map(({ body }) => body.toString());
    assert.deepEqual(bodies.toSorted(), ["one", "two", '{"three":3}']);
  });

  test("urlGroups", async () => {
    const endpoints = [
      { name: "first", url: url("/g1") },
      { name: "second", url: url("/g2") },
    ];
    await client.urlGroups.addEndpoints({ name: "methods", endpoints });
    const group = await client.urlGroups.get("methods");
    assert.deepEqual(group.endpoints, endpoints);
    assert.deepEqual(
      (await client.urlGroups.list()).map(({ name }) => name),
      ["methods"],
    );
    const sent = await client.publishJSON({ urlGroup: "methods", body: {} });
    assert.deepEqual(
      sent.map((each) => each.url),
      [url("/g1"), url("/g2")],
    );
    await client.urlGroups.removeEndpoints({ name: "methods", endpoints: [{ name: "first" }] });
    assert.deepEqual((await client.urlGroups.get("methods")).endpoints, endpoints.slice(1));
    await client.urlGroups.delete("methods");
    await assert.rejects(client.urlGroups.get("methods"), /not found/);
  });

  test("queue", async () => {
    const queue = client.queue({ queueName: "methods" });
    await queue.upsert({ parallelism: 2 });
    const read = await queue.get();
    assert.deepEqual(
      [read.name, read.parallelism, read.paused, read.lag],
      ["methods", 2, false, 0],
    );
    await queue.pause();
    await queue.enqueue({ url: url("/q"), body: "one" });
    await queue.enqueueJSON({ url: url("/q"), body: { two: 2 } });
    await until(async () => (await queue.get()).lag === 2, "a lag of 2");
    assert.equal((await queue.get()).paused, true);
    await queue.resume();
    await journey.destination.received("/q", 2);
    assert.ok((await queue.list()).some(({ name }) => name === "methods"));
    await queue.delete();
    await assert.rejects(queue.get(), /not found/);
  });

  test("schedules", async () => {
    const { schedules } = client;
    const { scheduleId } = await schedules.create({
      destination: url("/s"),
      scheduleId: "methods",
      cron: "0 0 1 1 *",
      body: "tick",
      delay: 10,
      queueName: "scheduled",
      retries: 1,
      callback: url("/s-callback"),
      label: "timed",
    });
    assert.equal(scheduleId, "methods");
    const read = await schedules.get("methods");
    assert.deepEqual([read.cron, read.delay, read.queueName], ["0 0 1 1 *", 10, "scheduled"]);
    assert.deepEqual([read.body, read.retries, read.label], ["tick", 1, "timed"]);
    await schedules.pause({ schedule: "methods" });
    assert.equal((await schedules.get("methods")).isPaused, true);
    await schedules.resume({ schedule: "methods" });
    assert.equal((await schedules.get("methods")).isPaused, false);
    assert.deepEqual(
      (await schedules.list()).map((each) => each.scheduleId),
      ["methods"],
    );
    await schedules.delete("methods");
    assert.deepEqual(await schedules.list(), []);
  });

  test("flowControl", async () => {
    const { flowControl } = client;
    const key = "methods/1";
    await client.publish({
      url: url("/f"),
      delay: 3_600,
      flowControl: { key, parallelism: 3, rate: 4, period: "1m" },
    });
    const read = await flowControl.get(key);
    assert.deepEqual([read.parallelismMax, read.rateMax, read.ratePeriod], [3, 4, 60]);
    await flowControl.pause(key);
    assert.equal((await flowControl.get(key)).isPaused, true);
    await flowControl.resume(key);
    await flowControl.pin(key, { parallelism: 9 });
    const pinned = await flowControl.get(key);
    assert.deepEqual([pinned.isPaused, pinned.parallelismMax], [false, 9]);
    assert.equal(pinned.isPinnedParallelism, true);
    await flowControl.unpin(key, { parallelism: true });
    assert.equal((await flowControl.get(key)).isPinnedParallelism, false);
    await flowControl.resetRate(key);
    assert.equal((await flowControl.get(key)).rateCount, 0);
    const { parallelismCount } = await flowControl.getGlobalParallelism();
    assert.equal(typeof parallelismCount, "number");
  });

  test("messages", async () => {
    const { messages } = client;
    const later = async (): Promise<string> =>
      (await client.publish({ url: url("/m"), delay: 3_600, label: "held" })).messageId;
    const ids = await Promise.all(Array.from({ length: 6 }, later));
    assert.equal((await messages.get(ids[0]!)).messageId, ids[0]);
    await messages.delete(ids[0]!);
    assert.deepEqual(await messages.cancel(ids[1]!), { cancelled: 1 });
    assert.equal(await messages.deleteMany([ids[1]!, ids[2]!]), 1);
    assert.deepEqual(await messages.cancel({ filter: { label: "held" }, count: 1 }), {
      cancelled: 1,
    });
    assert.deepEqual(await messages.cancel({ filter: { label: "held" } }), { cancelled: 2 });
    assert.deepEqual(await messages.cancel({ filter: { label: "held" } }), { cancelled: 0 });
    await messages.deleteAll();
    await Promise.all([later(), later()]);
    assert.deepEqual(await messages.cancel({ all: true, count: 1 }), { cancelled: 1 });
    assert.deepEqual(await messages.cancel({ all: true }), { cancelled: 1 });
    await later();
    // Messages of the other tests may wait as well.
    assert.ok((await messages.deleteAll()) >= 1);
    assert.deepEqual(await messages.cancel({ all: true }), { cancelled: 0 });
  });

  test("dlq, logs and events", async () => {
    journey.destination.respond = ({ url: path }) => ({ status: path === "/d" ? 500 : 200 });
    await Promise.all(
      Array.from({ length: 3 }, () => client.publish({ url: url("/d"), retries: 0 })),
    );
    const letters = await eventually(async () => {
      const page = await client.dlq.listMessages({ filter: { url: url("/d") } });
      return page.messages.length === 3 ? page.messages : null;
    }, "three dead letters");
    journey.destination.respond = () => ({});
    const { responses } = await client.dlq.retry(letters[0]!.dlqId);
    assert.match(responses[0]?.messageId ?? "", /^msg_/);
    await client.dlq.delete(letters[1]!.dlqId);
    assert.deepEqual(await client.dlq.deleteMany({ dlqIds: [letters[2]!.dlqId] }), { deleted: 1 });
    const { logs } = await client.logs({ filter: { messageId: letters[0]!.messageId } });
    assert.deepEqual(
      logs.map(({ state }) => state),
      ["FAILED", "ERROR", "ACTIVE", "CREATED"],
    );
    const { events } = await client.events({ filter: { messageId: letters[0]!.messageId } });
    assert.equal(events.length, 4);
  });

  test("Receiver", async () => {
    await client.publish({ url: url("/r"), body: "signed" });
    const [request] = await journey.destination.received("/r");
    const { currentSigningKey, nextSigningKey } = journey.service.credentials;
    const receiver = new Receiver({ currentSigningKey, nextSigningKey });
    const signature = request.headers["upstash-signature"] ?? "";
    assert.equal(await receiver.verify({ signature, body: "signed", url: url("/r") }), true);
  });

  test("and none is left", () => {
    assert.deepEqual(recorded.never(), ELSEWHERE);
  });
});

/** Hosted language models are not offered, and there is one more way to say queue. */
const ELSEWHERE = ["client.chat"];
