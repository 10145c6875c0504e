/** Many messages in one call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

journeys("batch", {}, (journey) => {
  test("every item is sent as its own headers say, in its own dialect", async () => {
    const { service, destination } = journey;
    const answers = await service.batch([
      {
        destination: `${destination.url}/svc?x=1&svc-forward-x-query=q`,
        headers: { "svc-forward-x-own": "1", "content-type": "text/plain", "Svc-Retries": "1" },
        body: "first",
      },
      {
        destination: `${destination.url}/upstash`,
        headers: { "Upstash-Method": "PUT", "upstash-label": "a,b" },
        body: "second",
      },
      { destination: `${destination.url}/bare` },
    ]);
    assert.equal(answers.length, 3);
    const [first] = await destination.received("/svc");
    assert.equal(first.url, "/svc?x=1");
    assert.equal(textOf(first), "first");
    assert.equal(first.headers["x-own"], "1");
    assert.equal(first.headers["x-query"], "q");
    assert.equal(first.headers["content-type"], "text/plain");
    assert.equal(first.headers["svc-message-id"], answers[0]?.["messageId"]);
    const [second] = await destination.received("/upstash");
    assert.equal(second.method, "PUT");
    assert.equal(second.headers["upstash-message-id"], answers[1]?.["messageId"]);
    const [bare] = await destination.received("/bare");
    assert.equal(bare.body.length, 0);
    const shown = await service.message(String(answers[1]?.["messageId"]));
    assert.deepEqual(shown["labels"], ["a", "b"]);
  });

  test("items may be groups and enqueues; one that fails says so in its place", async () => {
    const { service, destination } = journey;
    const urls = ["a", "b"].map((path) => `${destination.url}/group/${path}`);
    await service.addEndpoints("group", ...urls);
    const answers = await service.batch([
      { destination: "nowhere" },
      { destination: "group", body: "to all" },
      { destination: `${destination.url}/never`, headers: { "svc-retries": "x" } },
      { destination: `${destination.url}/queued`, queue: "line", body: "1" },
      { destination: `${destination.url}/queued`, queue: "line", body: "2" },
      { destination: `${destination.url}/never`, queue: "line", headers: { "svc-delay": "1s" } },
      { destination: `${destination.url}/never`, headers: { "svc-retries": "5000" } },
      { destination: "http://169.254.169.254/" },
      { destination: "group", queue: "line", body: "3" },
      {},
    ]);
    const [missing, group, bad, first, , late, many, address, queuedGroup, empty] = answers;
    assert.deepEqual(missing, {
      error: "topic nowhere not found",
      code: "not-found",
      field: "destination",
    });
    assert.deepEqual(
      (group as unknown as Item[]).map(({ url }) => url),
      urls,
    );
    assert.equal((queuedGroup as unknown as Item[]).length, 2);
    assert.match(bad?.["error"] as string, /svc-retries/i);
    assert.match(late?.["error"] as string, /svc-delay: is not supported by enqueue/i);
    assert.match(many?.["error"] as string, /maxRetries/);
    assert.equal(many?.["code"], "quota-exceeded");
    assert.match(address?.["error"] as string, /address/);
    assert.match(empty?.["error"] as string, /destination/);
    await destination.received("/group/a", 2);
    await destination.received("/group/b", 2);
    const queued = await destination.received("/queued", 2);
    assert.deepEqual(queued.map(textOf), ["1", "2"]);
    assert.equal((await service.message(String(first?.["messageId"])))["queueName"], "line");
    assert.equal(destination.to("/never").length, 0);
  });

  test("duplicates are found within the batch and across calls", async () => {
    const { service, destination } = journey;
    const item = {
      destination: `${destination.url}/once`,
      headers: { "upstash-deduplication-id": "batch" },
    };
    const [first, second] = await service.batch([item, item]);
    assert.equal(first?.["url"], item.destination);
    assert.deepEqual(second, { ...first, deduplicated: true });
    const [third] = await service.batch([item]);
    assert.deepEqual(third, second);
    await destination.received("/once");
  });

  test("an empty batch is answered with an empty array", async () => {
    assert.deepEqual(await journey.service.batch([]), []);
  });

  test("a thousand items at once all arrive", async () => {
    const { service, destination } = journey;
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      destination: `${destination.url}/many`,
      body: String(index),
    }));
    const answers = await service.batch(items);
    assert.equal(new Set(answers.map(({ messageId }) => messageId)).size, 1_000);
    const requests = await destination.received("/many", 1_000);
    assert.equal(new Set(requests.map(textOf)).size, 1_000);
  });
});

journeys("batch, on a small plan", {}, (journey) => {
  test("each queue that would be one too many is refused in its place", async () => {
    const { service, destination } = journey;
    const items = Array.from({ length: 102 }, (_, index) => ({
      destination: `${destination.url}/queued`,
      queue: `q${index}`,
    }));
    const answers = await service.batch([...items, items[0]!]);
    const refused = answers.flatMap(({ error }, index) => (error === undefined ? [] : [index]));
    assert.deepEqual(refused, [100, 101]);
    assert.equal(answers[100]?.["error"], "quota maxQueues exceeded, current limit: 100");
    assert.equal(answers[100]?.["code"], "quota-exceeded");
    const queues = await service.all("/v2/queues");
    assert.equal(queues.length, 100);
    const enqueue = (queue: string) =>
      service.status("POST", `/v2/enqueue/${queue}/${destination.url}/queued`);
    assert.equal(await enqueue("further"), 412);
    assert.equal(await enqueue("q5"), 200);
    assert.equal(queues[0]?.["parallelism"], 1);
  });
});

journeys("batch, with little room", { flags: { maxBatchBytes: "64KB" } }, (journey) => {
  test("more than the setting allows is refused, however it is sent", async () => {
    const { service } = journey;
    const large = `[${" ".repeat(70_000)}]`;
    assert.equal(await service.status("POST", "/v2/batch", { body: large }), 413);
    const headers = { "Transfer-Encoding": "chunked", "Content-Length": [] };
    const chunked = await service.call("POST", "/v2/batch", { body: large, headers });
    assert.equal(chunked.status, 413);
  });

  test("a group that would make too much of a body is refused", async () => {
    const { service, destination } = journey;
    const urls = ["a", "b", "c"].map((path) => `${destination.url}/wide/${path}`);
    await service.addEndpoints("wide", ...urls);
    const body = "x".repeat(30_000);
    const single = await service.call("POST", "/v2/publish/wide", { body });
    assert.equal(single.status, 413, single.text);
    const [refused, accepted] = await service.batch([
      { destination: "wide", body },
      { destination: `${destination.url}/narrow`, body },
    ]);
    assert.equal(refused?.["code"], "body-too-large");
    assert.equal(typeof accepted?.["messageId"], "string");
    await destination.received("/narrow");
    assert.equal(destination.to("/wide/a").length, 0);
  });
});
