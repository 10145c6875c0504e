/** The schedules of a third-party client, unmodified, against our service. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client } from "@upstash/qstash";
import { journeys } from "../support/journeys.ts";
import { eventually } from "../support/eventually.ts";

journeys("the public QStash client's schedules", {}, (journey) => {
  let client: Client;
  before(() => {
    const { url, token } = journey.service;
    client = new Client({ baseUrl: url, token, enableTelemetry: true });
  });

  test("are created, read, listed, paused, resumed and deleted", async () => {
    const { scheduleId } = await client.schedules.create({
      destination: "https://example.com",
      cron: "*/10 * * * * ",
      body: "hello",
      delay: 10,
      queueName: "client-queue",
      retries: 2,
      method: "PUT",
      timeout: 30,
      label: ["one", "two"],
      headers: { "X-Own": "yes" },
      callback: "https://example.com/callback",
      failureCallback: "https://example.com/failure",
      flowControl: { key: "client-key", parallelism: 2 },
      redact: { body: true },
    });
    const schedule = await client.schedules.get(scheduleId);
    assert.equal(schedule.scheduleId, scheduleId);
    assert.equal(schedule.cron, "*/10 * * * *");
    assert.equal(schedule.destination, "https://example.com");
    assert.equal(schedule.delay, 10);
    assert.equal(schedule.queueName, "client-queue");
    assert.equal(schedule.retries, 2);
    assert.equal(schedule.method, "PUT");
    assert.equal(schedule.callback, "https://example.com/callback");
    assert.equal(schedule.failureCallback, "https://example.com/failure");
    assert.equal(schedule.flowControlKey, "client-key");
    assert.match(schedule.body ?? "", /^REDACTED:/);
    assert.equal(schedule.isPaused, false);
    assert.ok((schedule.nextScheduleTime ?? 0) > Date.now());
    const listed = await client.schedules.list();
    assert.deepEqual(
      listed.map((each) => each.scheduleId),
      [scheduleId],
    );
    await client.schedules.pause({ schedule: scheduleId });
    assert.equal((await client.schedules.get(scheduleId)).isPaused, true);
    await client.schedules.pause({ schedule: scheduleId });
    await client.schedules.resume({ schedule: scheduleId });
    assert.equal((await client.schedules.get(scheduleId)).isPaused, false);
    await client.schedules.delete(scheduleId);
    await assert.rejects(client.schedules.get(scheduleId), /not found/);
    assert.deepEqual(await client.schedules.list(), []);
  });

  test("are overwritten by their id, and nothing of the old settings stays", async () => {
    const scheduleId = "overwritten";
    await client.schedules.create({
      destination: "https://example.com",
      scheduleId,
      cron: "0 0 1 1 *",
      body: "old",
    });
    await client.schedules.create({
      destination: "https://example.com/new",
      scheduleId,
      cron: "0 0 2 1 *",
    });
    const schedule = await client.schedules.get(scheduleId);
    assert.equal(schedule.destination, "https://example.com/new");
    assert.equal(schedule.cron, "0 0 2 1 *");
    assert.ok(!("body" in schedule));
    await client.schedules.delete(scheduleId);
  });

  test("fire, and their messages are signed and told apart by the schedule", async () => {
    const { service, destination } = journey;
    const { scheduleId } = await client.schedules.create({
      destination: `${destination.url}/client-tick`,
      cron: "0 0 1 1 *",
      body: '{"n":1}',
    });
    await service.fireAt(scheduleId, Date.now() - 1);
    const [request] = await destination.received("/client-tick");
    assert.equal(request.headers["upstash-schedule-id"], scheduleId);
    assert.equal(request.headers["content-type"], "application/json");
    assert.ok(request.headers["upstash-signature"]);
    const states = await eventually(async () => {
      const { lastScheduleStates } = await client.schedules.get(scheduleId);
      const found = Object.values(lastScheduleStates ?? {});
      return found.includes("SUCCESS") ? found : null;
    }, "the state of the last message");
    assert.deepEqual(states, ["SUCCESS"]);
    await client.schedules.delete(scheduleId);
  });

  test("are refused with our sentences", async () => {
    await assert.rejects(
      client.schedules.create({ destination: "https://example.com", cron: "every day" }),
      /Upstash-Cron: has 2 fields/,
    );
  });
});
