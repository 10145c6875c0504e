/** Messages are found by a part of what is known of them, and by what they wait for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { journeys } from "../support/journeys.ts";

journeys("finding messages", {}, (journey) => {
  const ids = async (path: string, member: string): Promise<unknown[]> => {
    const { status, json } = await journey.service.call("GET", path);
    assert.equal(status, 200, path);
    return [...new Set((json[member] as Item[]).map((each) => each["messageId"]))];
  };

  const logged = (query: string): Promise<unknown[]> => ids(`/v2/logs?${query}`, "logs");
  const dead = (query: string): Promise<unknown[]> => ids(`/v2/dlq?${query}`, "messages");
  const live = (query: string): Promise<unknown[]> => ids(`/v2/messages?${query}`, "messages");

  test("by a part of the URL, a label or the error, in any case", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({ status: url.startsWith("/teapot") ? 418 : 200 });
    const url = `${destination.url}/orders/1/confirm`;
    const delivered = await service.publish(url, { "Svc-Label": "Shop-EU" });
    const answered = await service.publish(`${destination.url}/teapot`, { "Svc-Retries": "0" });
    const unanswered = await service.publish("http://127.0.0.1:1/gone", { "Svc-Retries": "0" });
    await service.logUntil(delivered, "DELIVERED");
    for (const id of [answered, unanswered]) await service.logUntil(id, "FAILED");
    assert.deepEqual(await logged("search=CONFIRM"), [delivered]);
    assert.deepEqual(await logged("search=shop-"), [delivered]);
    assert.deepEqual(await logged("search=nothing,at,all"), []);
    const prefix = encodeURIComponent(`${destination.url}/tea`);
    assert.deepEqual(await logged(`urlPrefix=${prefix}`), [answered]);
    assert.deepEqual(await logged("responseStatus=418"), [answered]);
    const both = await logged("responseStatus=200,418");
    assert.deepEqual(new Set(both), new Set([delivered, answered]));
    assert.deepEqual(await logged("errorText=connection+refused"), [unanswered]);
    assert.deepEqual(await logged("search=Connection+REFUSED&state=FAILED"), [unanswered]);

    assert.deepEqual(await dead("search=TEAPOT"), [answered]);
    assert.deepEqual(await dead("search=status+418"), [answered]);
    assert.deepEqual(await dead("errorText=connection+refused"), [unanswered]);
    assert.deepEqual(await dead(`urlPrefix=${prefix}&errorText=nothing`), []);
  });

  test("a page that is not the last one says how much was searched for it", async () => {
    const { service } = journey;
    const page = await service.call("GET", "/v2/logs?state=CREATED&count=1");
    assert.equal((page.json["logs"] as unknown[]).length, 1);
    assert.ok((page.json["searched"] as number) >= 1);
    const whole = await service.call("GET", "/v2/logs?state=CREATED&search=nothing");
    assert.equal(whole.json["searched"], undefined);
  });

  test("by what they wait for, exactly those that are counted", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({ status: url === "/again" ? 503 : 200 });
    await service.post("/v2/queues", { queueName: "rest", paused: true });
    const paused = await service.enqueue("rest", `${destination.url}/paused`);
    const delayed = await service.publish(`${destination.url}/later`, { "Svc-Delay": "1h" });
    const retried = await service.publish(`${destination.url}/again`, {
      "Svc-Retry-Delay": "3600000",
    });
    await service.logUntil(retried, "RETRY");
    const key = { "Svc-Flow-Control-Key": "k", "Svc-Flow-Control-Value": "rate=1, period=1h" };
    await service.logUntil(await service.publish(`${destination.url}/first`, key), "DELIVERED");
    const rated = await service.publish(`${destination.url}/second`, key);

    assert.deepEqual(await live("waitingFor=paused"), [paused]);
    assert.deepEqual(await live("waitingFor=delay"), [delayed]);
    assert.deepEqual(await live("waitingFor=retry"), [retried]);
    assert.deepEqual(await live("waitingFor=key-rate"), [rated]);
    assert.deepEqual(await live("waitingFor=queue-full"), []);
    assert.deepEqual(await live("waitingFor=paused,key-rate&queueName=rest"), [paused]);
    const { json } = await service.call("GET", "/v2/waiting");
    for (const { reason, count } of json["reasons"] as { reason: string; count: number }[]) {
      assert.equal((await live(`waitingFor=${reason}`)).length, count, reason);
    }

    const counted = await service.call("DELETE", "/v2/messages?waitingFor=delay&dryRun=true");
    assert.equal(counted.json["count"], 1);
    const sent = await service.call("POST", "/v2/messages/retry?waitingFor=retry&dryRun=true");
    assert.equal(sent.json["count"], 1);
    const canceled = await service.call("DELETE", "/v2/messages?waitingFor=paused,key-rate");
    assert.equal(canceled.json["cancelled"], 2);
    assert.deepEqual(await live("waitingFor=paused,key-rate"), []);
    assert.deepEqual(await live("search=later"), [delayed]);
  });
});
