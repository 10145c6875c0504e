/** One publish to a name, one message to each endpoint. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonOf, textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import type { TestService } from "../support/service-harness.ts";

/** What is answered to a publish to a group. */
async function publishAll(
  service: TestService,
  destination: string,
  headers: Readonly<Record<string, string>> = {},
  body = "hello",
) {
  const answer = await service.call("POST", `/v2/publish/${destination}`, { headers, body });
  return { status: answer.status, items: answer.json as unknown as Item[] };
}

function addEndpoints(service: TestService, name: string, endpoints: readonly object[]) {
  const body = JSON.stringify({ endpoints });
  return service.call("POST", `/v2/topics/${name}/endpoints`, { body });
}

const DIALECTS = ["Svc", "Upstash"] as const;

journeys("URL groups", {}, (journey) => {
  test("are made, changed, listed and removed", async () => {
    const { service } = journey;
    const before = Date.now();
    const made = await addEndpoints(service, "orders.v1", [
      { url: "https://one.example/", name: "First endpoint" },
      { url: "https://two.example/" },
    ]);
    assert.equal(made.status, 200, made.text);
    await addEndpoints(service, "orders.v1", [{ url: "https://three.example/", name: "Third" }]);
    const shown = await service.get("/v2/topics/orders.v1");
    assert.deepEqual(shown["endpoints"], [
      { url: "https://one.example/", name: "First endpoint" },
      { url: "https://two.example/" },
      { url: "https://three.example/", name: "Third" },
    ]);
    assert.equal(shown["name"], "orders.v1");
    assert.ok((shown["createdAt"] as number) >= before);
    assert.ok((shown["updatedAt"] as number) >= (shown["createdAt"] as number));
    assert.deepEqual(await service.all("/v2/topics"), [shown]);
    const removal = { endpoints: [{ name: "First endpoint" }, { url: "https://two.example/" }] };
    const path = "/v2/topics/orders.v1/endpoints";
    const removed = await service.call("DELETE", path, { body: JSON.stringify(removal) });
    assert.equal(removed.status, 200);
    assert.deepEqual((await service.get("/v2/topics/orders.v1"))["endpoints"], [
      { url: "https://three.example/", name: "Third" },
    ]);
    const last = JSON.stringify({ endpoints: [{ name: "Third" }] });
    assert.equal(await service.status("DELETE", path, { body: last }), 200);
    assert.equal(await service.status("GET", "/v2/topics/orders.v1"), 404);
    assert.equal(await service.status("DELETE", path, { body: last }), 404);
    assert.equal(await service.status("DELETE", "/v2/topics/orders.v1"), 200);
    assert.deepEqual(await service.get("/v2/topics"), []);
  });

  for (const dialect of DIALECTS) {
    test(`in ${dialect}, every endpoint gets its message, which says where it came from`, async () => {
      const { service, destination } = journey;
      const group = `fan-${dialect}`;
      const urls = ["a", "b"].map((path) => `${destination.url}/${group}/${path}`);
      await addEndpoints(service, group, [{ url: urls[0], name: "The first" }, { url: urls[1] }]);
      const { status, items } = await publishAll(service, group, {
        [`${dialect}-Forward-X-Own`]: "yes",
        "Content-Type": "text/plain",
      });
      assert.equal(status, 200);
      assert.deepEqual(
        items.map(({ url }) => url),
        urls,
      );
      const [request] = await destination.received(`/${group}/a`);
      await destination.received(`/${group}/b`);
      const prefix = dialect.toLowerCase();
      assert.equal(request.headers[`${prefix}-topic-name`], group);
      assert.equal(request.headers[`${prefix}-message-id`], items[0]?.["messageId"]);
      assert.equal(request.headers["x-own"], "yes");
      assert.equal(textOf(request), "hello");
      const [entry] = await service.log(items[0]?.["messageId"] as string);
      assert.deepEqual([entry?.["topicName"], entry?.["endpointName"]], [group, "The first"]);
      const found = await service.message(String(items[1]?.["messageId"]));
      assert.equal(found["topicName"], group);
      assert.equal(found["endpointName"], undefined);
      const filtered = `/v2/logs?topicName=${group}&state=CREATED`;
      assert.equal((await service.list(filtered, "logs")).length, 2);
    });
  }

  test("deduplicate each endpoint by itself", async () => {
    const { service, destination } = journey;
    const urls = ["a", "b"].map((path) => `${destination.url}/once/${path}`);
    await addEndpoints(service, "once", [{ url: urls[0] }]);
    const headers = { "Svc-Deduplication-Id": "once" };
    const first = await publishAll(service, "once", headers);
    assert.equal(first.status, 200);
    const again = await publishAll(service, "once", headers);
    assert.equal(again.status, 202);
    assert.deepEqual(again.items, [{ ...first.items[0], deduplicated: true }]);
    await addEndpoints(service, "once", [{ url: urls[1] }]);
    const grown = await publishAll(service, "once", headers);
    assert.equal(grown.status, 200);
    assert.deepEqual(
      grown.items.map(({ deduplicated }) => deduplicated),
      [true, undefined],
    );
    await destination.received("/once/b");
    assert.equal(destination.to("/once/a").length, 1);
  });

  test("a dead letter of a group is retried as one of the group", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => (url.startsWith("/dies") ? { status: 500 } : {});
    await addEndpoints(service, "dying", [{ url: `${destination.url}/dies`, name: "the end" }]);
    await publishAll(service, "dying", {
      "Svc-Retries": "0",
      "Svc-Failure-Callback": `${destination.url}/failed`,
    });
    const [letter] = await service.deadLettersUntil(1, "topicName=dying");
    assert.equal(letter?.["endpointName"], "the end");
    const [report] = await destination.received("/failed");
    const told = jsonOf(report);
    assert.deepEqual([told["topicName"], told["endpointName"]], ["dying", "the end"]);
    await service.call("DELETE", "/v2/topics/dying");
    destination.respond = () => ({});
    await service.call("POST", `/v2/dlq/retry/${String(letter["dlqId"])}`);
    const requests = await destination.received("/dies", 2);
    assert.equal(requests[1]?.headers["svc-topic-name"], "dying");
  });

  test("default headers stand behind what a request says, in either dialect", async () => {
    const { service, destination } = journey;
    await addEndpoints(service, "defaults", [{ url: `${destination.url}/defaults` }]);
    const headers = {
      "Upstash-Retries": "2",
      "Upstash-Forward-X-Default": ["one", "two"],
      "Upstash-Label": ["from-group"],
      "Content-Type": "text/group",
      "Upstash-Header-Forward": ["true"],
    };
    const body = JSON.stringify({ headers });
    const patched = await service.call("PATCH", "/v2/topics/defaults", { body });
    assert.equal(patched.status, 200, patched.text);
    const plain = await publishAll(service, "defaults", { "X-Plain": "mine" });
    const [first] = await destination.received("/defaults");
    assert.equal(first.headers["x-default"], "one, two");
    assert.equal(first.headers["content-type"], "text/group");
    assert.equal(first.headers["x-plain"], "mine");
    assert.notEqual(first.headers["upstash-message-id"], undefined);
    const shown = await service.message(String(plain.items[0]?.["messageId"]));
    assert.equal(shown["maxRetries"], 2);
    assert.deepEqual(shown["labels"], ["from-group"]);
    const own = await publishAll(service, "defaults?svc-label=from-query", {
      "Svc-Retries": "1",
      "Svc-Forward-X-Default": "own",
      "Content-Type": "text/own",
    });
    const [, second] = await destination.received("/defaults", 2);
    assert.equal(second?.headers["x-default"], "own");
    assert.equal(second?.headers["content-type"], "text/own");
    assert.equal(second?.headers["svc-message-id"], own.items[0]?.["messageId"]);
    const message = await service.message(String(own.items[0]?.["messageId"]));
    assert.equal(message["maxRetries"], 1);
    assert.deepEqual(message["labels"], ["from-query"]);
    await service.call("PATCH", "/v2/topics/defaults", { body: '{"headers":{}}' });
    assert.equal((await service.get("/v2/topics/defaults"))["headers"], undefined);
  });

  test("a group of more endpoints than the plan allows is refused, and not made", async () => {
    const { service } = journey;
    const many = Array.from({ length: 101 }, (_, index) => ({ url: `https://x.example/${index}` }));
    const refused = await addEndpoints(service, "large", many);
    assert.equal(refused.status, 412);
    assert.equal(refused.json["error"], "quota maxEndpointsPerTopic exceeded, current limit: 100");
    assert.equal(await service.status("GET", "/v2/topics/large"), 404);
  });
});
