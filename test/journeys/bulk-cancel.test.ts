/** Many messages that are no longer wanted. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("bulk cancel", {}, (journey) => {
  const cancel = async (query: string, body?: unknown): Promise<unknown> => {
    const options = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await journey.service.call("DELETE", `/v2/messages${query}`, options);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  const later = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    journey.service.publish(`${journey.destination.url}${path}`, {
      "Svc-Delay": "1h",
      ...headers,
    });

  beforeEach(async () => {
    await journey.service.call("DELETE", "/v2/messages");
  });

  test("messages are cancelled by ids, in the query or in the body, each counted once", async () => {
    const [a, b, c] = [await later("/a"), await later("/b"), await later("/c")];
    assert.deepEqual(await cancel(`?messageIds=${a}&messageIds=${a},msg_nobody`), { cancelled: 1 });
    assert.deepEqual(await cancel("", { messageIds: [a, b] }), { cancelled: 1 });
    assert.deepEqual(await cancel("/"), { cancelled: 1 });
    assert.deepEqual(await journey.service.statesUntil(c, "CANCELED"), [
      "CREATED",
      "CANCEL_REQUESTED",
      "CANCELED",
    ]);
    assert.deepEqual(await cancel("", { messageIds: [] }), { cancelled: 0 });
  });

  for (const dialect of ["Svc", "Upstash"] as const) {
    test(`messages are cancelled by what their publisher said in ${dialect}`, async () => {
      const { service, destination } = journey;
      const { host } = new URL(destination.url);
      await service.addEndpoints("bulk", `${destination.url}/in-group`);
      const delay = { [`${dialect}-Delay`]: "1h" };
      const publish = (to: string, headers: Readonly<Record<string, string>>) =>
        service.call("POST", `/v2/publish/${to}`, { headers: { ...delay, ...headers } });
      const cases: readonly [string, () => Promise<unknown>][] = [
        ["label=two", () => publish(`${destination.url}/x`, { [`${dialect}-Label`]: "one,two" })],
        ["path=/only", () => publish(`${destination.url}/only`, {})],
        [`host=${host}`, () => publish(`${destination.url}/any`, {})],
        [`url=${destination.url}/exact?q=1`, () => publish(`${destination.url}/exact?q=1`, {})],
        ["topicName=bulk", () => publish("bulk", {})],
        ["callerIp=127.0.0.1", () => publish(`${destination.url}/ip`, {})],
        [
          "flowControlKey=key",
          () =>
            publish(`${destination.url}/key`, {
              [`${dialect}-Flow-Control-Key`]: "key",
              [`${dialect}-Flow-Control-Value`]: "rate=1",
            }),
        ],
      ];
      for (const [query, make] of cases) {
        await make();
        assert.deepEqual(await cancel(`?${query}&scheduleId=nobody`), { cancelled: 0 }, query);
        assert.deepEqual(await cancel(`?${query}`), { cancelled: 1 }, query);
      }
    });
  }

  test("messages are cancelled by the queue in which they stand", async () => {
    const { service, destination } = journey;
    const answer = destination.hold();
    const head = await service.enqueue("bulk", `${destination.url}/head`);
    for (const path of ["/second", "/third"]) {
      await service.enqueue("bulk", `${destination.url}${path}`);
    }
    await destination.received("/head");
    assert.deepEqual(await cancel("?queueName=bulk"), { cancelled: 3, inFlight: 1 });
    assert.deepEqual(await cancel("?queueName=bulk"), { cancelled: 0 });
    answer();
    await service.logUntil(head, "DELIVERED");
    assert.equal(destination.to("/second").length, 0);
  });

  test("messages are cancelled by their dates", async () => {
    const before = Date.now();
    await later("/dated");
    assert.deepEqual(await cancel(`?toDate=${before - 1}`), { cancelled: 0 });
    assert.deepEqual(await cancel(`?fromDate=${before}&toDate=${Date.now()}`), { cancelled: 1 });
  });

  test("all that match are cancelled in one call, or as many as count says", async () => {
    const { service, destination } = journey;
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      destination: `${destination.url}/many`,
      headers: { "svc-delay": "1h", "svc-label": index < 600 ? "many,first" : "many" },
    }));
    await service.batch(items);
    assert.deepEqual(await cancel("?label=first&count=7"), { cancelled: 7 });
    assert.deepEqual(await cancel("?label=first&count=501"), { cancelled: 501 });
    assert.deepEqual(await cancel("", { label: ["first"], count: 1_000 }), { cancelled: 92 });
    assert.deepEqual(await cancel("?count=1"), { cancelled: 1 });
    assert.deepEqual(await cancel("", { count: 99 }), { cancelled: 99 });
    // A client sends 100 when its caller has not said anything.
    assert.deepEqual(await cancel("?label=many&count=100"), { cancelled: 300 });
    assert.deepEqual(await cancel(""), { cancelled: 0 });
    const path = "/v2/logs?label=many&state=CANCELED&count=1000";
    assert.equal((await service.list(path, "logs")).length, 1_000);
  });

  test("a message under way is cancelled once, and is not retried", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500, delayMs: 300 });
    const messageId = await service.publish(`${destination.url}/flies`, { "Svc-Retry-Delay": "1" });
    await destination.received("/flies");
    assert.deepEqual(await cancel("?path=/flies"), { cancelled: 1, inFlight: 1 });
    assert.deepEqual(await cancel("?path=/flies"), { cancelled: 0 });
    await service.logUntil(messageId, "CANCELED");
    assert.equal(destination.to("/flies").length, 1);
    destination.respond = () => ({});
  });
});
