/** In which order a queue delivers, and what holds it up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";
import { until } from "../support/eventually.ts";
import type { TestService } from "../support/service-harness.ts";

async function lagOf(service: TestService, queue: string): Promise<unknown> {
  return (await service.get(`/v2/queues/${queue}`))["lag"];
}

for (const prefix of ["Svc", "Upstash"]) {
  journeys(`the order of a queue in the ${prefix} dialect`, {}, (journey) => {
    const enqueue = (
      queue: string,
      path: string,
      headers: Record<string, string> = {},
    ): Promise<string> => {
      const own = Object.entries(headers).map(([name, value]) => [`${prefix}-${name}`, value]);
      const { service, destination } = journey;
      return service.enqueue(queue, `${destination.url}${path}`, Object.fromEntries(own));
    };
    const put = (queueName: string, parallelism: number) =>
      journey.service.post("/v2/queues", { queueName, parallelism });

    test("a queue is made by its first message, and a later one leaves it as it is", async () => {
      const { service, destination } = journey;
      await enqueue("made", "/made");
      await destination.received("/made");
      const made = await service.get("/v2/queues/made");
      assert.deepEqual([made["parallelism"], made["paused"]], [1, false]);
      await put("made", 4);
      await enqueue("made", "/made");
      await destination.received("/made", 2);
      assert.equal((await service.get("/v2/queues/made"))["parallelism"], 4);
    });

    test("the first holds the queue through its retry and its callback", async () => {
      const { service, destination } = journey;
      const reported = Promise.withResolvers<void>();
      destination.respond = ({ url }, nth) => {
        if (url === "/report") return nth === 2 ? { until: reported.promise } : {};
        return url === "/first" && nth === 1 ? { status: 500 } : {};
      };
      await enqueue("strict", "/first", {
        Callback: `${destination.url}/report`,
        "Retry-Delay": "10",
      });
      const second = await enqueue("strict", "/second");
      await destination.received("/report", 2);
      assert.deepEqual(destination.to("/second"), []);
      assert.equal(await lagOf(service, "strict"), 1);
      assert.deepEqual(await service.statesUntil(second, "CREATED"), ["CREATED"]);
      reported.resolve();
      await service.logUntil(second, "DELIVERED");
      assert.deepEqual(
        destination.order().filter((url) => url !== "/made"),
        ["/first", "/report", "/first", "/report", "/second"],
      );
      await until(async () => (await lagOf(service, "strict")) === 0, "lag 0");
    });

    test("dying and being cancelled let the next one go", async () => {
      const { service, destination } = journey;
      destination.respond = ({ url }) => ({ status: url === "/after" ? 200 : 500 });
      await enqueue("ends", "/bad", { Retries: "0" });
      const waiting = await enqueue("ends", "/retried", { Retries: "5" });
      await service.logUntil(waiting, "RETRY");
      const last = await enqueue("ends", "/after");
      assert.equal(await lagOf(service, "ends"), 2);
      assert.equal(await service.status("DELETE", `/v2/messages/${waiting}`), 200);
      await service.logUntil(last, "DELIVERED");
    });

    test("a queue sends as many at once as its parallelism says, and grows at once", async () => {
      const { service, destination } = journey;
      const release = destination.hold();
      await put("wide", 2);
      for (let count = 0; count < 5; count++) await enqueue("wide", "/wide");
      await destination.received("/wide", 2);
      assert.equal(await lagOf(service, "wide"), 5);
      assert.equal(destination.to("/wide").length, 2);
      await put("wide", 4);
      await destination.received("/wide", 4);
      assert.equal(destination.to("/wide").length, 4);
      release();
      await destination.received("/wide", 5);
    });

    test("a paused queue takes messages and sends none; resumed, it begins with the oldest", async () => {
      const { service, destination } = journey;
      destination.respond = () => ({});
      await put("held", 1);
      await service.call("POST", "/v2/queues/held/pause");
      for (const path of ["/h1", "/h2", "/h3"]) await enqueue("held", path);
      await enqueue("free", "/h-free");
      await destination.received("/h-free");
      assert.equal(await lagOf(service, "held"), 3);
      await service.call("POST", "/v2/queues/held/resume");
      await destination.received("/h3");
      assert.deepEqual(
        destination.order("/h").filter((url) => url !== "/h-free"),
        ["/h1", "/h2", "/h3"],
      );
    });

    test("a queue that is paused does not retry what it began", async () => {
      const { service, destination } = journey;
      destination.respond = (_, nth) => ({ status: nth === 1 ? 500 : 200 });
      const id = await enqueue("begun", "/begun", { "Retry-Delay": "300" });
      await service.logUntil(id, "RETRY");
      await service.call("POST", "/v2/queues/begun/pause");
      const retryAt = Number((await service.log(id)).at(-1)?.["nextDeliveryTime"]);
      await until(() => Date.now() > retryAt + 200, "due");
      assert.equal(destination.to("/begun").length, 1);
      assert.equal(await lagOf(service, "begun"), 1);
      await service.call("POST", "/v2/queues/begun/resume");
      await service.logUntil(id, "DELIVERED");
      assert.equal(destination.to("/begun")[1]?.headers[`${prefix.toLowerCase()}-retried`], "1");
    });

    test("a queue is deleted with what is in it, and made anew by the next message", async () => {
      const { service, destination } = journey;
      const release = destination.hold();
      const first = await enqueue("gone", "/gone");
      const waiting = await Promise.all([enqueue("gone", "/gone"), enqueue("gone", "/gone")]);
      await destination.received("/gone");
      assert.equal(await service.status("DELETE", "/v2/queues/gone"), 200);
      assert.equal(await service.status("GET", "/v2/queues/gone"), 404);
      for (const id of waiting) {
        const states = (await service.log(id)).map(({ state }) => state);
        assert.deepEqual(states, ["CREATED", "CANCEL_REQUESTED", "CANCELED"]);
      }
      const after = await enqueue("gone", "/anew");
      release();
      await service.logUntil(first, "DELIVERED");
      await service.logUntil(after, "DELIVERED");
      assert.equal(destination.to("/gone").length, 1);
      assert.equal(await service.status("GET", "/v2/queues/gone"), 200);
    });

    test("a message of a queue waits for its flow-control key too", async () => {
      const { service, destination } = journey;
      destination.respond = () => ({});
      const under = { "Flow-Control-Key": `both-${prefix}`, "Flow-Control-Value": "parallelism=1" };
      await service.call("POST", `/v2/flowControl/both-${prefix}/pause`);
      const id = await enqueue("both", "/both", under);
      await until(
        async () => (await service.get(`/v2/flowControl/both-${prefix}`))["waitListSize"] === 1,
        "one in the key's line",
      );
      assert.equal(await lagOf(service, "both"), 1);
      assert.deepEqual(destination.to("/both"), []);
      await service.call("POST", `/v2/flowControl/both-${prefix}/resume`);
      await service.logUntil(id, "DELIVERED");
    });
  });
}
