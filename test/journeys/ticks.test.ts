/** Schedules that fire: when, what they send, and what is told of it. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { until } from "../support/eventually.ts";
import { create, lastStates, NEW_YEAR, post, removeAll, show } from "./schedule-calls.ts";

const HOUR = 3_600_000;
const DIALECTS = ["Svc", "Upstash"] as const;

journeys("ticks of schedules", {}, (journey) => {
  afterEach(() => removeAll(journey.service));

  for (const dialect of DIALECTS) {
    test(`fire when they are due, in the words of ${dialect}`, async () => {
      const { service, destination } = journey;
      const path = `/tick-${dialect}`;
      const answer = await post(
        service,
        `${destination.url}${path}`,
        {
          [`${dialect}-Cron`]: NEW_YEAR,
          [`${dialect}-Forward-X-Own`]: "yes",
          [`${dialect}-Method`]: "PUT",
          [`${dialect}-Label`]: "ticked",
          "Content-Type": "text/x-own",
        },
        "tick",
      );
      const id = answer.json["scheduleId"] as string;
      await service.fireAt(id, Date.now() - 1);
      const [request] = await destination.received(path);
      const prefix = dialect.toLowerCase();
      assert.equal(request.method, "PUT");
      assert.equal(textOf(request), "tick");
      assert.equal(request.headers["x-own"], "yes");
      assert.equal(request.headers["content-type"], "text/x-own");
      assert.equal(request.headers[`${prefix}-schedule-id`], id);
      assert.equal(request.headers[`${prefix}-caller-ip`], "127.0.0.1");
      await lastStates(service, id, "SUCCESS");
      const shown = await show(service, id);
      assert.ok((shown["lastScheduleTime"] as number) <= Date.now());
      assert.ok((shown["nextScheduleTime"] as number) > Date.now());
      const messageId = request.headers[`${prefix}-message-id`] ?? "";
      assert.deepEqual(shown["lastScheduleStates"], { [messageId]: "SUCCESS" });
      const logs = await service.list(`/v2/logs?scheduleId=${id}`, "logs");
      assert.equal(logs.length, 3);
      assert.deepEqual(logs[0]?.["labels"], ["ticked"]);
    });
  }

  test("tell what became of the last messages", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const id = await create(service, `${destination.url}/fails`, {
      "Svc-Retries": "1",
      "Svc-Retry-Delay": "3000000",
    });
    await service.fireAt(id, Date.now() - 1);
    await lastStates(service, id, "IN_PROGRESS");
    await create(service, `${destination.url}/fails`, {
      "Svc-Schedule-Id": id,
      "Svc-Retries": "0",
    });
    await service.fireAt(id, Date.now() - 1);
    await lastStates(service, id, "FAIL");
    destination.respond = () => ({});
  });

  test("missed while no node ran: the latest is sent, the others are shown as skipped", async () => {
    const { service, destination } = journey;
    const id = await create(service, `${destination.url}/missed`, { "Svc-Cron": "0 * * * *" });
    const latest = Math.floor(Date.now() / HOUR) * HOUR;
    await service.fireAt(id, latest - 5 * HOUR);
    await destination.received("/missed");
    await lastStates(service, id, "SUCCESS");
    const shown = await show(service, id);
    assert.deepEqual(shown["skipped"], {
      count: 5,
      firstScheduleTime: latest - 5 * HOUR,
      lastScheduleTime: latest - HOUR,
    });
    assert.equal(destination.to("/missed").length, 1);
    assert.ok(service.logged.some((line) => line.startsWith("schedule skipped ticks")));
  });

  test("rest while they are paused, and make nothing up when they go on", async () => {
    const { service, destination } = journey;
    const id = await create(service, `${destination.url}/paused`, {});
    const nextScheduleTime = (await show(service, id))["nextScheduleTime"];
    for (const method of ["POST", "PATCH", "PUT"]) {
      const paused = await service.call(method, `/v2/schedules/${id}/pause`);
      assert.deepEqual([paused.status, paused.text], [200, "{}"]);
    }
    const shown = await show(service, id);
    assert.equal(shown["isPaused"], true);
    assert.equal(shown["nextScheduleTime"], nextScheduleTime);
    await service.fireAt(id, Date.now() - 1);
    await until(
      async () => Number((await show(service, id))["nextScheduleTime"]) > Date.now(),
      "the paused tick is passed over",
    );
    for (const method of ["POST", "PATCH", "PUT"]) {
      const resumed = await service.call(method, `/v2/schedules/${id}/resume`);
      assert.deepEqual([resumed.status, resumed.text], [200, "{}"]);
    }
    assert.equal((await show(service, id))["isPaused"], false);
    assert.deepEqual((await service.get(`/v2/logs?scheduleId=${id}`))["logs"], []);
  });

  test("run at once when asked to, and fire when they would have", async () => {
    const { service, destination } = journey;
    const id = await create(service, `${destination.url}/run-now`, {}, "now");
    const before = await show(service, id);
    const run = await service.call("POST", `/v2/schedules/${id}/run`);
    assert.equal(run.status, 200, run.text);
    const [request] = await destination.received("/run-now");
    assert.equal(request.headers["svc-message-id"], run.json["messageId"]);
    assert.equal(request.headers["svc-schedule-id"], id);
    assert.equal((await show(service, id))["nextScheduleTime"], before["nextScheduleTime"]);
    assert.equal(await service.status("POST", "/v2/schedules/none/run"), 404);
  });

  test("send to each endpoint of a URL group, as it is when they fire", async () => {
    const { service, destination } = journey;
    assert.equal((await post(service, "crew", { "Svc-Cron": NEW_YEAR })).status, 404);
    await service.addEndpoints("crew", `${destination.url}/g1`, `${destination.url}/g2`);
    const id = await create(service, "crew", {}, "all hands");
    assert.equal((await show(service, id))["destination"], "crew");
    await service.addEndpoints("crew", `${destination.url}/g3`);
    await service.fireAt(id, Date.now() - 1);
    for (const path of ["/g1", "/g2", "/g3"]) {
      const [request] = await destination.received(path);
      assert.equal(request.headers["svc-topic-name"], "crew");
      assert.equal(textOf(request), "all hands");
    }
    assert.equal((await lastStates(service, id, "SUCCESS")).length, 3);
    const run = await service.call("POST", `/v2/schedules/${id}/run`);
    assert.equal((run.json as unknown as Item[]).length, 3);
    await service.call("DELETE", "/v2/topics/crew");
    await service.fireAt(id, Date.now() - 1);
    await until(
      async () => (await show(service, id))["error"] === "topic crew not found",
      "the missing group is told",
    );
  });

  test("send through a queue, under a key, later and with callbacks, as they were told", async () => {
    const { service, destination } = journey;
    const id = await create(
      service,
      `${destination.url}/all`,
      {
        "Svc-Queue-Name": "scheduled",
        "Svc-Flow-Control-Key": "scheduled-key",
        "Svc-Flow-Control-Value": "parallelism=3",
        "Svc-Delay": "1s",
        "Svc-Callback": `${destination.url}/all-callback`,
        "Svc-Redact-Fields": "body, header[X-Secret]",
        "Svc-Forward-X-Secret": "secret",
      },
      "hidden",
    );
    const shown = await show(service, id);
    assert.match(shown["body"] as string, /^REDACTED:[0-9a-f]{64}$/);
    assert.match(JSON.stringify((shown["header"] as Item)["X-Secret"]), /^\["REDACTED:/);
    await service.fireAt(id, Date.now() - 1);
    const [request] = await destination.received("/all");
    assert.equal(textOf(request), "hidden");
    assert.equal(request.headers["x-secret"], "secret");
    const messageId = request.headers["svc-message-id"] ?? "";
    const message = await service.message(messageId);
    assert.equal(message["queueName"], "scheduled");
    assert.equal(message["flowControlKey"], "scheduled-key");
    assert.equal(message["scheduleId"], id);
    assert.equal(message["body"], shown["body"]);
    assert.equal((message["notBefore"] as number) - (message["createdAt"] as number), 1_000);
    await destination.received("/all-callback");
  });
});
