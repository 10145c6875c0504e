/** A message is accepted, stored, delivered and logged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("publish", {}, (journey) => {
  test("a message arrives byte for byte, and its log says so", async () => {
    const { service, destination } = journey;
    const body = Buffer.from([0, 1, 2, 255, 254, 10, 13]);
    const url = `${destination.url}/first?a=1&b=%20x`;
    const headers = { "Content-Type": "application/x-test", "Svc-Forward-X-Own": "yes" };
    const messageId = await service.publish(url, headers, body);
    assert.match(messageId, /^msg_[0-9A-Z]{26}$/);

    const [request] = await destination.received("/first");
    assert.equal(request.method, "POST");
    assert.equal(request.url, "/first?a=1&b=%20x");
    assert.deepEqual(request.body, body);
    assert.equal(request.headers["content-type"], "application/x-test");
    assert.equal(request.headers["x-own"], "yes");
    assert.equal(request.headers["svc-message-id"], messageId);
    assert.equal(request.headers["svc-retried"], "0");
    assert.equal(request.headers["svc-caller-ip"], "127.0.0.1");
    assert.equal(request.headers["authorization"], undefined);

    const entries = await service.logUntil(messageId, "DELIVERED");
    assert.deepEqual(
      entries.map((entry) => entry["state"]),
      ["CREATED", "ACTIVE", "DELIVERED"],
    );
    assert.equal(entries[2]?.["responseStatus"], 200);
    assert.equal(entries[0]?.["body"], body.toString("base64"));
  });

  test("what is accepted is answered with its id and where it goes", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    for (const [path, goesTo] of [
      [`publish/${url}/to?a="1"&svc-retries=1`, `${url}/to?a="1"`],
      [`enqueue/answered/${url}/to`, `${url}/to`],
    ] as const) {
      const { status, json } = await service.call("POST", `/v2/${path}`);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ["messageId", "url"]);
      assert.equal(json["url"], goesTo);
      assert.equal((await service.message(String(json["messageId"])))["url"], goesTo);
    }
  });

  test("a message can be read, also after it was delivered", async () => {
    const { service, destination } = journey;
    const headers = { "Content-Type": "text/plain", "Svc-Label": "blue,green" };
    const messageId = await service.publish(`${destination.url}/read`, headers, "hello");
    await service.logUntil(messageId, "DELIVERED");
    const message = await service.message(messageId);
    assert.equal(message["messageId"], messageId);
    assert.equal(message["url"], `${destination.url}/read`);
    assert.equal(message["body"], "hello");
    assert.deepEqual(message["header"], { "Content-Type": ["text/plain"] });
    assert.deepEqual(message["labels"], ["blue", "green"]);
    assert.equal(message["maxRetries"], 5);
    assert.equal(message["notBefore"], message["createdAt"]);
    assert.equal(message["callerIP"], "127.0.0.1");
  });

  test("method, empty body and no content type are taken as given", async () => {
    const { service, destination } = journey;
    await service.publish(`${destination.url}/put`, { "Svc-Method": "put" });
    const [request] = await destination.received("/put");
    assert.equal(request.method, "PUT");
    assert.equal(request.body.length, 0);
    assert.equal(request.headers["content-type"], undefined);
  });

  test("settings can come in the query, which then does not reach the destination", async () => {
    const { service, destination } = journey;
    const query = "?keep=1&svc-method=PATCH&svc-forward-x-from=query&also=2";
    const messageId = await service.publish(`${destination.url}/query${query}`);
    const [request] = await destination.received("/query");
    assert.equal(request.method, "PATCH");
    assert.equal(request.url, "/query?keep=1&also=2");
    assert.equal(request.headers["x-from"], "query");
    const message = await service.message(messageId);
    assert.equal(message["url"], `${destination.url}/query?keep=1&also=2`);
  });

  test("a percent-encoded destination is understood", async () => {
    const { service, destination } = journey;
    await service.publish(encodeURIComponent(`${destination.url}/encoded?a=b`));
    const [request] = await destination.received("/encoded");
    assert.equal(request.url, "/encoded?a=b");
  });

  for (const [dialect, other, agent] of [
    ["svc", "upstash", "Postrider"],
    ["upstash", "svc", "Upstash-QStash"],
  ] as const) {
    test(`a message published in ${dialect} headers is delivered with them, and no others`, async () => {
      const { service, destination } = journey;
      await service.publish(`${destination.url}/${dialect}`, { [`${dialect}-Retries`]: "1" });
      const [{ headers }] = await destination.received(`/${dialect}`);
      assert.equal(headers["user-agent"], agent);
      assert.ok(headers[`${dialect}-signature`]);
      assert.ok(headers[`${dialect}-message-id`]);
      const foreign = Object.keys(headers).filter((name) => name.startsWith(`${other}-`));
      assert.deepEqual(foreign, []);
    });
  }

  test("a delayed message waits, and says until when", async () => {
    const { service, destination } = journey;
    const before = Date.now();
    const messageId = await service.publish(`${destination.url}/delayed`, { "Svc-Delay": "1s" });
    const json = await service.message(messageId);
    assert.ok((json["notBefore"] as number) >= before + 1_000);
    assert.equal(destination.to("/delayed").length, 0);
    await destination.received("/delayed");
    assert.ok(Date.now() >= before + 1_000);
    assert.deepEqual(await service.statesUntil(messageId, "DELIVERED"), [
      "CREATED",
      "ACTIVE",
      "DELIVERED",
    ]);
  });

  test("not-before wins over delay, and an instant in the past means now", async () => {
    const { service, destination } = journey;
    const headers = { "Svc-Delay": "1h", "Svc-Not-Before": "1000000000" };
    await service.publish(`${destination.url}/not-before`, headers);
    await destination.received("/not-before");
  });

  test("a destination that is neither a URL nor a URL group is refused", async () => {
    const { service } = journey;
    await service.refused("POST /v2/publish/my-group", 404, /^topic my-group not found$/);
    await service.refused("POST /v2/publish/api/llm", 400, /not offered/);
    const empty = await service.call("POST", "/v2/publish/");
    assert.equal(empty.json["error"], "a non-empty destination must be provided");
  });

  test("what the plan does not allow is refused with the name of the limit", async () => {
    const { service, destination } = journey;
    const refused = async (headers: Record<string, string>): Promise<unknown> => {
      const answer = await service.call("POST", `/v2/publish/${destination.url}/x`, { headers });
      assert.equal(answer.status, 412);
      return answer.json["error"];
    };
    assert.equal(
      await refused({ "Svc-Retries": "1000" }),
      "quota maxRetries exceeded, current limit: 999",
    );
    assert.equal(
      await refused({ "Svc-Delay": "366d" }),
      "quota maxDelay exceeded, current limit: 31536000",
    );
  });
});
