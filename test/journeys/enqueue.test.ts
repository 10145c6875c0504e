/** Messages that wait their turn in a named queue. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

journeys("enqueue", {}, (journey) => {
  for (const dialect of ["Svc", "Upstash"] as const) {
    test(`in ${dialect}, one message after the other is sent, in their order`, async () => {
      const { service, destination } = journey;
      const url = `${destination.url}/${dialect}-queue`;
      const ids: string[] = [];
      for (const body of ["1", "2", "3"]) {
        const headers = { [`${dialect}-Forward-X-Own`]: body };
        ids.push(await service.enqueue(`q.${dialect}`, url, headers, body));
      }
      const requests = await destination.received(`/${dialect}-queue`, 3);
      assert.deepEqual(
        requests.map(({ headers }) => headers["x-own"]),
        ["1", "2", "3"],
      );
      assert.deepEqual(requests.map(textOf), ["1", "2", "3"]);
      assert.equal((await service.message(ids[0]!))["queueName"], `q.${dialect}`);
      const path = `/v2/logs?queueName=q.${dialect}&state=CREATED`;
      assert.equal((await service.list(path, "logs")).length, 3);
    });
  }

  test("a delay is refused by its name, since the queue decides when", async () => {
    const { service, destination } = journey;
    for (const [name, value] of [
      ["Svc-Delay", "1s"],
      ["Upstash-Not-Before", "9999999999"],
    ] as const) {
      const path = `/v2/enqueue/q/${destination.url}/never`;
      const says = new RegExp(`^${name}: is not supported by enqueue$`);
      await service.refused(`POST ${path}`, 400, says, { headers: { [name]: value } });
    }
    const byQuery = `/v2/enqueue/q/${destination.url}/never?svc-delay=1s`;
    assert.equal(await service.status("POST", byQuery), 400);
    assert.equal(destination.to("/never").length, 0);
  });

  test("a message in a queue shows the flow-control key that it was given", async () => {
    const { service, destination } = journey;
    const headers = {
      "Svc-Flow-Control-Key": "in-queue",
      "Svc-Flow-Control-Value": "parallelism=1,rate=10,period=2s",
    };
    const id = await service.enqueue("keyed", `${destination.url}/keyed`, headers);
    await destination.received("/keyed");
    const message = await service.message(id);
    assert.deepEqual(
      ["queueName", "flowControlKey", "parallelism", "period"].map((name) => message[name]),
      ["keyed", "in-queue", 1, 2],
    );
  });

  test("a group's messages stand in the queue, and a dead one is retried in it", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const urls = ["a", "b"].map((path) => `${destination.url}/queued/${path}`);
    await service.addEndpoints("queued", ...urls);
    const headers = { "Svc-Retries": "0" };
    const { json: sent } = await service.call("POST", "/v2/enqueue/line/queued", { headers });
    assert.equal((sent as unknown as Item[]).length, 2);
    const letters = await service.deadLettersUntil(2, "queueName=line");
    destination.respond = () => ({});
    const dlqId = letters[1]?.["dlqId"] as string;
    const retried = await service.call("POST", `/v2/dlq/retry/${dlqId}`);
    await destination.received("/queued/a", 2);
    const message = await service.message(String(retried.json["messageId"]));
    assert.deepEqual([message["queueName"], message["topicName"]], ["line", "queued"]);
  });

  test("a queue name of other letters, or no destination, is refused", async () => {
    const { service } = journey;
    for (const path of [
      "a%20b/https://x.example",
      `${"x".repeat(200)}/https://x.example`,
      "q",
      "q/",
    ]) {
      assert.equal(await service.status("POST", `/v2/enqueue/${path}`), 400, path);
    }
  });
});
