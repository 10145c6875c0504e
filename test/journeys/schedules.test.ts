/** Schedules as they are made, shown, listed and removed. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { OTHER_TOKEN } from "../support/service-harness.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { create, NEW_YEAR, post, removeAll, show } from "./schedule-calls.ts";

const MINUTE = 60_000;

journeys("schedules", {}, (journey) => {
  afterEach(() => removeAll(journey.service));

  test("show every setting they were made with", async () => {
    const { service } = journey;
    const before = Date.now();
    const id = await create(
      service,
      "https://example.test/a?b=c",
      {
        "Svc-Cron": " CRON_TZ=Europe/Berlin 0 9 * * MON-FRI ",
        "Content-Type": "text/plain",
        "Svc-Method": "PUT",
        "Svc-Timeout": "90s",
        "Svc-Retries": "7",
        "Svc-Retry-Delay": "1000 * retried",
        "Svc-Delay": "1m30s",
        "Svc-Forward-X-Own": "mine",
        "Svc-Callback": "https://example.test/callback",
        "Svc-Callback-Forward-X-Callback": "theirs",
        "Svc-Callback-Method": "PUT",
        "Svc-Failure-Callback": "https://example.test/failure",
        "Svc-Failure-Callback-Forward-X-Failure": "ours",
        "Svc-Label": "one, two",
        "Svc-Flow-Control-Key": "key",
        "Svc-Flow-Control-Value": "parallelism=2, rate=10, period=1m",
        "Svc-Queue-Name": "queue",
      },
      "hello",
    );
    assert.match(id, /^scd_/);
    const { createdAt, nextScheduleTime, ...shown } = await show(service, id);
    assert.ok((createdAt as number) >= before);
    const next = new Date(nextScheduleTime as number);
    assert.ok(next.getTime() > before && next.getUTCMinutes() === 0);
    assert.deepEqual(shown, {
      scheduleId: id,
      cron: "CRON_TZ=Europe/Berlin 0 9 * * MON-FRI",
      destination: "https://example.test/a?b=c",
      method: "PUT",
      header: { "Content-Type": ["text/plain"], "X-Own": ["mine"] },
      body: "hello",
      retries: 7,
      delay: 90,
      timeout: 90,
      retryDelayExpression: "1000 * retried",
      callback: "https://example.test/callback",
      callbackHeader: { "X-Callback": ["theirs"] },
      failureCallback: "https://example.test/failure",
      failureCallbackHeader: { "X-Failure": ["ours"] },
      lastTicks: [],
      queueName: "queue",
      label: "one",
      labels: ["one", "two"],
      flowControlKey: "key",
      parallelism: 2,
      rate: 10,
      period: 60,
      callerIP: "127.0.0.1",
      callerIp: "127.0.0.1",
      isPaused: false,
    });
  });

  test("one with a known id is replaced as a whole", async () => {
    const { service } = journey;
    const id = await create(
      service,
      "https://example.test/first",
      { "Svc-Schedule-Id": "mine", "Svc-Label": "x", "Content-Type": "text/plain" },
      "first",
    );
    assert.equal(id, "mine");
    const first = await show(service, id);
    await service.call("POST", `/v2/schedules/${id}/pause`);
    await create(service, "https://example.test/second", { "Svc-Schedule-Id": "mine" });
    const second = await show(service, id);
    assert.equal(second["createdAt"], first["createdAt"]);
    assert.equal(second["isPaused"], true);
    assert.equal(second["destination"], "https://example.test/second");
    assert.equal(second["retries"], 5);
    for (const gone of ["body", "labels", "label", "header"]) {
      assert.ok(!(gone in second), `${gone} is gone`);
    }
  });

  test("are listed by id, and a long list says where it goes on", async () => {
    const { service } = journey;
    const ids = ["l1", "l2", "l3"];
    for (const id of ids) {
      await create(service, "https://example.test/", { "Svc-Schedule-Id": id });
    }
    const list = async (query: string): Promise<[string[], unknown]> => {
      const answer = await service.call("GET", `/v2/schedules${query}`);
      const found = (answer.json as unknown as Item[]).map((item) => item["scheduleId"] as string);
      return [found, answer.headers["link"]];
    };
    assert.deepEqual(await list(""), [ids, undefined]);
    assert.deepEqual(await list("?count=2"), [
      ["l1", "l2"],
      '</v2/schedules?after=l2>; rel="next"',
    ]);
    assert.deepEqual(await list("?after=l2&count=1"), [["l3"], undefined]);
    for (const id of ids) {
      const removed = await service.call("DELETE", `/v2/schedules/${id}`);
      assert.deepEqual([removed.status, removed.text], [200, ""]);
      assert.equal(await service.status("DELETE", `/v2/schedules/${id}`), 404);
      assert.equal(await service.status("GET", `/v2/schedules/${id}`), 404);
      assert.equal(await service.status("POST", `/v2/schedules/${id}/pause`), 404);
      assert.equal(await service.status("PATCH", `/v2/schedules/${id}/resume`), 404);
    }
    assert.deepEqual(await list(""), [[], undefined]);
  });

  test("belong to their account", async () => {
    const { service } = journey;
    const id = await create(service, "https://example.test/", {});
    const token = OTHER_TOKEN;
    const missing = await service.call("GET", "/v2/schedules/none", { token });
    const foreign = await service.call("GET", `/v2/schedules/${id}`, { token });
    assert.equal(foreign.text, missing.text.replace("none", id));
    for (const [method, path] of [
      ["DELETE", id],
      ["POST", `${id}/pause`],
      ["POST", `${id}/resume`],
      ["POST", `${id}/run`],
    ] as const) {
      const answer = await service.call(method, `/v2/schedules/${path}`, { token });
      assert.equal(answer.status, 404, `${method} ${path}`);
    }
    assert.deepEqual((await service.call("GET", "/v2/schedules", { token })).json, []);
    const theirs = await service.call("POST", "/v2/schedules/https://example.test/", {
      token,
      headers: { "Svc-Cron": NEW_YEAR, "Svc-Schedule-Id": id },
    });
    assert.equal(theirs.status, 200);
    assert.equal((await show(service, id))["destination"], "https://example.test/");
  });

  test("a destination that ends in pause is still a destination", async () => {
    const { service } = journey;
    for (const destination of [
      "https://example.test/pause",
      "https%3A%2F%2Fexample.test%2Fpause",
      "https%3A%2F%2Fexample.test/pause",
      "http://run",
    ]) {
      const id = await create(service, destination, {});
      const shown = await show(service, id);
      assert.equal(shown["destination"], decodeURIComponent(destination));
    }
  });

  test("no more of them are made than the plan allows", async () => {
    const { service } = journey;
    await service.limit({ schedulesMax: 2, parallelismMax: null });
    for (const id of ["q1", "q2"]) {
      await create(service, "https://example.test/", { "Svc-Schedule-Id": id });
    }
    const headers = { "Svc-Cron": NEW_YEAR };
    const third = await post(service, "https://example.test/", headers);
    assert.equal(third.status, 412);
    assert.equal(third.json["error"], "quota maxSchedules exceeded, current limit: 2");
    await create(service, "https://example.test/", { "Svc-Schedule-Id": "q1" });
    await service.limit({});
  });

  test("a cron can be tried before it is used, and nothing is made", async () => {
    const { service } = journey;
    const before = Date.now();
    const preview = async (query: string): Promise<number[]> =>
      (await service.get(`/v2/cron/preview?${query}`))["times"] as number[];
    const cron = encodeURIComponent("CRON_TZ=Asia/Tokyo 30 9 * * 1");
    const times = await preview(`cron=${cron}&count=3`);
    assert.equal(times.length, 3);
    for (const [index, time] of times.entries()) {
      assert.match(new Date(time).toUTCString(), /^Mon, .* 00:30:00 GMT$/);
      assert.equal(time, times[0]! + index * 7 * 24 * 60 * MINUTE);
    }
    assert.ok(times[0]! > before);
    assert.equal((await preview("cron=@hourly")).length, 5);
    assert.equal((await preview("cron=0+0+29+2+*&count=100")).length, 100);
    assert.deepEqual(await service.all("/v2/schedules"), []);
  });

  test("may be called preview", async () => {
    const { service } = journey;
    await create(service, "https://example.test/", { "Svc-Schedule-Id": "preview" });
    assert.equal((await show(service, "preview"))["scheduleId"], "preview");
  });

  test("a new one fires at the next minute that its cron names", async () => {
    const { service } = journey;
    const id = await create(service, "https://example.test/", { "Svc-Cron": "* * * * *" });
    const shown = await show(service, id);
    const next = shown["nextScheduleTime"] as number;
    assert.equal(next % MINUTE, 0);
    assert.ok(next > (shown["createdAt"] as number));
    assert.ok(next <= (shown["createdAt"] as number) + MINUTE);
  });
});
