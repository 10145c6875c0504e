/** Messages that wait their turn in a named queue. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import type { TestService } from "../support/service-harness.ts";

async function enqueue(
  service: TestService,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
) {
  return service.call("POST", `/v2/enqueue/${path}`, { headers, body });
}

journeys("enqueue", {}, (journey) => {
  for (const dialect of ["Svc", "Upstash"] as const) {
    test(`in ${dialect}, one message after the other is sent, in their order`, async () => {
      const { service, destination } = journey;
      const url = `${destination.url}/${dialect}-queue`;
      const ids: unknown[] = [];
      for (const body of ["1", "2", "3"]) {
        const answer = await enqueue(service, `q.${dialect}/${url}`, {}, body);
        assert.equal(answer.status, 200, answer.text);
        ids.push(answer.json["messageId"]);
      }
      const requests = await destination.received(`/${dialect}-queue`, 3);
      assert.deepEqual(
        requests.map(({ body }) => body.toString()),
        ["1", "2", "3"],
      );
      const { json } = await service.call("GET", `/v2/messages/${ids[0] as string}`);
      assert.equal(json["queueName"], `q.${dialect}`);
      const logs = await service.call("GET", `/v2/logs?queueName=q.${dialect}&state=CREATED`);
      assert.equal((logs.json["logs"] as Item[]).length, 3);
    });
  }

  test("a delay is refused by its name, since the queue decides when", async () => {
    const { service, destination } = journey;
    for (const [name, value] of [
      ["Svc-Delay", "1s"],
      ["Upstash-Not-Before", "9999999999"],
    ] as const) {
      const answer = await enqueue(service, `q/${destination.url}/never`, { [name]: value });
      assert.equal(answer.status, 400);
      assert.equal(answer.json["error"], `${name}: is not supported by enqueue`);
    }
    const byQuery = await enqueue(service, `q/${destination.url}/never?svc-delay=1s`);
    assert.equal(byQuery.status, 400);
    assert.equal(destination.to("/never").length, 0);
  });

  test("limits of a flow-control key hold in a queue too", async () => {
    const { service, destination } = journey;
    const headers = {
      "Svc-Flow-Control-Key": "in-queue",
      "Svc-Flow-Control-Value": "parallelism=1,rate=10,period=2s",
    };
    const answer = await enqueue(service, `keyed/${destination.url}/keyed`, headers);
    await destination.received("/keyed");
    const { json } = await service.call(
      "GET",
      `/v2/messages/${answer.json["messageId"] as string}`,
    );
    assert.deepEqual(
      [json["queueName"], json["flowControlKey"], json["parallelism"], json["period"]],
      ["keyed", "in-queue", 1, 2],
    );
  });

  test("a group's messages stand in the queue, and a dead one is retried in it", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const endpoints = ["a", "b"].map((path) => ({ url: `${destination.url}/queued/${path}` }));
    const body = JSON.stringify({ endpoints });
    await service.call("POST", "/v2/topics/queued/endpoints", { body });
    const answer = await enqueue(service, "line/queued", { "Svc-Retries": "0" });
    assert.equal((answer.json as unknown as Item[]).length, 2);
    const letters = await eventually(async () => {
      const { json } = await service.call("GET", "/v2/dlq?queueName=line");
      const found = json["messages"] as Item[];
      return found.length === 2 ? found : null;
    }, "two dead letters");
    destination.respond = () => ({});
    const dlqId = letters[1]?.["dlqId"] as string;
    const retried = await service.call("POST", `/v2/dlq/retry/${dlqId}`);
    await destination.received("/queued/a", 2);
    const { json } = await service.call(
      "GET",
      `/v2/messages/${retried.json["messageId"] as string}`,
    );
    assert.deepEqual([json["queueName"], json["topicName"]], ["line", "queued"]);
  });

  test("a queue name of other letters, or no destination, is refused", async () => {
    const { service } = journey;
    for (const path of [
      "a%20b/https://x.example",
      `${"x".repeat(200)}/https://x.example`,
      "q",
      "q/",
    ]) {
      const answer = await enqueue(service, path);
      assert.equal(answer.status, 400, `${path}: ${answer.text}`);
    }
  });
});
