/** What can be seen and set of queues. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { journeys } from "../support/journeys.ts";
import { OTHER_TOKEN, type TestService } from "../support/service-harness.ts";

const put = (service: TestService, queue: unknown, token = service.token) =>
  service.call("POST", "/v2/queues", { body: JSON.stringify(queue), token });

function queueOf(service: TestService, name: string): Promise<Item> {
  return service.get(`/v2/queues/${name}`);
}

async function namesOf(service: TestService): Promise<unknown[]> {
  return (await service.all("/v2/queues")).map(({ name }) => name);
}

journeys("queues", {}, (journey) => {
  test("a queue is made with what is not said, and changed by the next upsert", async () => {
    const { service } = journey;
    const before = Date.now();
    const answer = await put(service, { queueName: "made" });
    assert.deepEqual([answer.status, answer.text], [200, ""]);
    const made = await queueOf(service, "made");
    const { createdAt, updatedAt, ...rest } = made;
    assert.deepEqual(rest, { name: "made", parallelism: 1, lag: 0, paused: false });
    assert.ok(Number(createdAt) >= before && createdAt === updatedAt);
    await put(service, { queueName: "made", parallelism: 3, paused: true });
    const changed = await queueOf(service, "made");
    assert.deepEqual([changed["parallelism"], changed["paused"]], [3, true]);
    assert.equal(changed["createdAt"], createdAt);
    await put(service, { queueName: "made", parallelism: 3 });
    assert.equal((await queueOf(service, "made"))["paused"], false);
  });

  test("queues are listed by name", async () => {
    const { service } = journey;
    for (const queueName of ["list.b", "list_a", "list-c"]) await put(service, { queueName });
    const names = (await namesOf(service)).filter((name) => String(name).startsWith("list"));
    assert.deepEqual(names, ["list-c", "list.b", "list_a"]);
  });

  test("pausing and resuming twice is as good as once", async () => {
    const { service } = journey;
    await put(service, { queueName: "twice", parallelism: 4 });
    for (const verb of ["pause", "pause", "resume", "resume"]) {
      const { status, text } = await service.call("POST", `/v2/queues/twice/${verb}`);
      assert.deepEqual([status, text], [200, ""]);
      const { paused, parallelism } = await queueOf(service, "twice");
      assert.deepEqual([paused, parallelism], [verb === "pause", 4]);
    }
  });

  test("a queue that is not there is not found, but can be deleted", async () => {
    const { service } = journey;
    for (const [method, path] of [
      ["GET", "/v2/queues/none"],
      ["POST", "/v2/queues/none/pause"],
      ["POST", "/v2/queues/none/resume"],
    ] as const) {
      const { status, json } = await service.call(method, path);
      assert.deepEqual([status, json["error"]], [404, "queue none not found"]);
    }
    const { status, text } = await service.call("DELETE", "/v2/queues/none");
    assert.deepEqual([status, text], [200, ""]);
  });

  test("another account's queue is as if it were not there", async () => {
    const { service } = journey;
    await put(service, { queueName: "mine" });
    const stranger = { token: OTHER_TOKEN };
    for (const [method, verb] of [
      ["GET", ""],
      ["POST", "/pause"],
      ["POST", "/resume"],
    ] as const) {
      const mine = await service.call(method, `/v2/queues/mine${verb}`, stranger);
      const none = await service.call(method, `/v2/queues/none${verb}`, stranger);
      assert.equal(mine.status, 404);
      assert.equal(mine.text.replace("mine", "none"), none.text);
    }
    await service.call("DELETE", "/v2/queues/mine", stranger);
    await put(service, { queueName: "mine", parallelism: 9 }, OTHER_TOKEN);
    assert.equal((await queueOf(service, "mine"))["parallelism"], 1);
  });

  test("what is no queue is refused by name, and nothing is stored", async () => {
    const { service } = journey;
    const before = await namesOf(service);
    const refused: [body: string, names: RegExp][] = [
      ["", /body/],
      ["[]", /body/],
      ["null", /body/],
      ["{", /body/],
      ["{}", /queueName/],
      ['{"queueName":7}', /queueName/],
      ['{"queueName":""}', /queueName/],
      ['{"queueName":"a b"}', /queueName/],
      ['{"queueName":"a/b"}', /queueName/],
      ['{"queueName":".."}', /queueName/],
      ['{"queueName":"a\\u0000"}', /queueName/],
      [`{"queueName":"${"x".repeat(129)}"}`, /queueName/],
      ['{"queueName":"bad","parallelism":0}', /parallelism/],
      ['{"queueName":"bad","parallelism":-1}', /parallelism/],
      ['{"queueName":"bad","parallelism":1.5}', /parallelism/],
      ['{"queueName":"bad","parallelism":"2"}', /parallelism/],
      ['{"queueName":"bad","parallelism":null}', /parallelism/],
      ['{"queueName":"bad","parallelism":1e99}', /parallelism/],
      ['{"queueName":"bad","paused":"yes"}', /paused/],
      ['{"queueName":"bad","paralelism":2}', /paralelism/],
      ['{"queueName":"bad","__proto__":{"paused":true}}', /__proto__/],
    ];
    for (const [body, names] of refused) {
      await service.refused("POST /v2/queues", 400, names, { body });
    }
    for (const [method, path] of [
      ["GET", "/v2/queues/a%20b"],
      ["GET", "/v2/queues/%00"],
      ["DELETE", "/v2/queues/a%2Fb"],
      ["POST", `/v2/queues/${"x".repeat(129)}/pause`],
    ] as const) {
      assert.equal(await service.status(method, path), 400, path);
    }
    assert.equal(await service.status("PUT", "/v2/queues"), 405);
    assert.equal(await service.status("POST", "/v2/queues/x/stop"), 404);
    assert.deepEqual(await namesOf(service), before);
  });

  test("a read-only token may look and not touch", async () => {
    const { service } = journey;
    await put(service, { queueName: "seen" });
    const token = service.credentials.readOnlyToken;
    assert.equal(await service.status("GET", "/v2/queues/seen", { token }), 200);
    assert.equal(await service.status("POST", "/v2/queues/seen/pause", { token }), 403);
    assert.equal(await service.status("DELETE", "/v2/queues/seen", { token }), 403);
    assert.equal((await put(service, { queueName: "seen", parallelism: 2 }, token)).status, 403);
  });
});
