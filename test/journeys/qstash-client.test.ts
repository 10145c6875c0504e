/** A third-party client, unmodified, against our service. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client, Receiver } from "@upstash/qstash";
import { textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import { eventually } from "../support/eventually.ts";

journeys("the public QStash client", {}, (journey) => {
  let client: Client;
  before(() => {
    const { url, token } = journey.service;
    client = new Client({ baseUrl: url, token, enableTelemetry: true });
  });

  test("publishes, and its receiver accepts the signature", async () => {
    const { service, destination } = journey;
    const url = `${destination.url}/signed?x=1`;
    const { messageId } = await client.publishJSON({
      url,
      body: { hello: "world" },
      headers: { "X-Own": "yes" },
      retries: 2,
      label: ["a", "b"],
    });
    const [request] = await destination.received("/signed");
    assert.equal(request.headers["upstash-message-id"], messageId);
    assert.equal(request.headers["x-own"], "yes");
    assert.equal(request.headers["content-type"], "application/json");
    const { currentSigningKey, nextSigningKey } = service.credentials;
    const receiver = new Receiver({ currentSigningKey, nextSigningKey });
    const signature = request.headers["upstash-signature"] ?? "";
    const body = textOf(request);
    assert.equal(body, '{"hello":"world"}');
    assert.equal(await receiver.verify({ signature, body, url }), true);
    await assert.rejects(receiver.verify({ signature, body: `${body} `, url }));
    await assert.rejects(receiver.verify({ signature, body, url: `${url}&y=2` }));
  });

  test("reads and cancels messages", async () => {
    const { destination } = journey;
    const { messageId } = await client.publish({
      url: `${destination.url}/later`,
      body: "text",
      delay: 3_600,
      method: "PUT",
      timeout: 30,
      callback: `${destination.url}/callback`,
      failureCallback: `${destination.url}/failure`,
    });
    const message = await client.messages.get(messageId);
    assert.equal(message.messageId, messageId);
    assert.equal(message.url, `${destination.url}/later`);
    assert.equal(message.method, "PUT");
    assert.equal(message.body, "text");
    assert.equal(message.callback, `${destination.url}/callback`);
    assert.equal(message.failureCallback, `${destination.url}/failure`);
    assert.ok((message.notBefore ?? 0) > Date.now() + 3_500_000);
    const cancelled = await client.messages.cancel(messageId);
    assert.deepEqual(cancelled, { cancelled: 1 });
    const after = await client.messages.get(messageId);
    // The client passes on what it does not know: why the message waited.
    const { waiting, ...known } = message as typeof message & { waiting: { reason: string } };
    assert.equal(waiting.reason, "delay");
    assert.deepEqual({ ...after }, { ...known, state: "CANCELED" });
  });

  test("is told about duplicates", async () => {
    const request = { url: `${journey.destination.url}/once`, deduplicationId: "once" };
    const first = await client.publish(request);
    const second = await client.publish(request);
    assert.deepEqual(first, { messageId: first.messageId, url: request.url });
    assert.deepEqual(second, { ...first, deduplicated: true });
  });

  test("lists logs", async () => {
    const { destination } = journey;
    const { messageId } = await client.publish({ url: `${destination.url}/logged`, body: "x" });
    const logs = await eventually(async () => {
      const page = await client.logs({ filter: { messageId } });
      return page.logs.length === 3 ? page.logs : null;
    }, "three entries");
    assert.deepEqual(
      logs.map(({ state }) => state),
      ["DELIVERED", "ACTIVE", "CREATED"],
    );
    const page = await client.logs({ count: 2 });
    assert.equal(page.logs.length, 2);
    const next = await client.logs({ count: 2, cursor: page.cursor ?? "" });
    assert.notEqual(next.logs[0]?.time, undefined);
    assert.notDeepEqual(next.logs, page.logs);
  });

  test("goes through the log with the loop that it documents", async () => {
    const whole = await client.logs();
    assert.ok(whole.logs.length > 6);
    const found: unknown[] = [];
    let cursor: number | string = Date.now() + 60_000;
    while ((cursor as number) > 0) {
      const page: Awaited<ReturnType<Client["logs"]>> = await client.logs({ count: 2, cursor });
      found.push(...page.logs);
      cursor = page.cursor ?? 0;
    }
    assert.deepEqual(found, whole.logs);
  });

  test("lists, retries and deletes dead letters", async () => {
    const { destination } = journey;
    destination.respond = () => ({ status: 400, body: "no" });
    for (const path of ["/d1", "/d2", "/d3"]) {
      await client.publish({ url: `${destination.url}${path}`, body: path, retries: 0 });
    }
    const letters = await eventually(async () => {
      const { messages } = await client.dlq.listMessages();
      return messages.length === 3 ? messages : null;
    }, "three dead letters");
    assert.equal(letters[0]?.responseStatus, 400);
    assert.equal(letters[0]?.responseBody, "no");
    destination.respond = () => ({});
    const [third, second, first] = letters.map(({ dlqId }) => dlqId) as [string, string, string];
    const { responses } = await client.dlq.retry(third);
    assert.ok(responses[0]?.messageId);
    await destination.received("/d3", 2);
    await client.dlq.delete(second);
    const rest = await client.dlq.listMessages();
    assert.deepEqual(
      rest.messages.map(({ dlqId }) => dlqId),
      [first],
    );
    assert.deepEqual(await client.dlq.deleteMany({ dlqIds: [first] }), { deleted: 1 });
    assert.deepEqual((await client.dlq.listMessages()).messages, []);
  });

  test("is refused with our sentences", async () => {
    const stranger = new Client({ baseUrl: journey.service.url, token: "wrong" });
    await assert.rejects(stranger.publish({ url: "http://127.0.0.1/" }), /unable to authenticate/);
    await assert.rejects(
      client.publish({ url: "http://127.0.0.1/", retries: 5_000 }),
      /maxRetries/,
    );
  });
});
