/** Every field of a schedule, as section 2.2 of the specification lists them. */
import assert from "node:assert/strict";
import { before } from "node:test";
import { lastStates } from "../journeys/schedule-calls.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { rowTests } from "./row-tests.ts";

journeys("2.2", {}, (journey) => {
  let schedule: Item;
  let binary: Item;
  let startedAt: number;

  const read = async (id: string): Promise<Item> =>
    (await journey.service.call("GET", `/v2/schedules/${id}`)).json;

  before(async () => {
    const { service, destination } = journey;
    startedAt = Date.now();
    await service.call("POST", `/v2/schedules/${destination.url}/tick`, {
      headers: HEADERS,
      body: "täxt",
    });
    await service.call("POST", `/v2/schedules/${destination.url}/binary`, {
      headers: { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": "rows-binary" },
      body: NOT_TEXT,
    });
    await service.fireAt("rows-text", startedAt);
    await lastStates(service, "rows-text", "IN_PROGRESS");
    [schedule, binary] = await Promise.all([read("rows-text"), read("rows-binary")]);
  });

  const is = (field: string, value: () => unknown) => () =>
    assert.deepEqual(schedule[field], value());
  const nextYear = (): number => Date.UTC(new Date(startedAt).getUTCFullYear() + 1, 0, 1);

  rowTests("2.2", "Schedule", {
    scheduleId: is("scheduleId", () => "rows-text"),
    cron: is("cron", () => "CRON_TZ=UTC 0 0 1 1 *"),
    destination: is("destination", () => `${journey.destination.url}/tick`),
    createdAt: () => {
      const createdAt = schedule["createdAt"] as number;
      assert.ok(createdAt >= startedAt && createdAt <= Date.now(), String(createdAt));
    },
    method: is("method", () => "PATCH"),
    isPaused: async () => {
      assert.equal(schedule["isPaused"], false);
      await journey.service.call("POST", "/v2/schedules/rows-binary/pause");
      assert.equal((await read("rows-binary"))["isPaused"], true);
    },
    header: is("header", () => ({ "Content-Type": ["text/plain"], "X-Own": ["one"] })),
    body: is("body", () => "täxt"),
    bodyBase64: () => {
      assert.equal(binary["bodyBase64"], Buffer.from(NOT_TEXT).toString("base64"));
      assert.equal(binary["body"], undefined);
      assert.equal(schedule["bodyBase64"], undefined);
    },
    retries: () => {
      assert.equal(schedule["retries"], 2);
      assert.equal(binary["retries"], 5);
    },
    delay: is("delay", () => 90),
    callback: is("callback", () => "https://callback.example/path"),
    failureCallback: is("failureCallback", () => "https://failure.example/path"),
    callerIp: () => {
      assert.equal(schedule["callerIp"], "127.0.0.1");
      assert.equal(schedule["callerIP"], "127.0.0.1");
    },
    flowControlKey: is("flowControlKey", () => "rows-key"),
    parallelism: is("parallelism", () => 7),
    rate: is("rate", () => 50),
    period: is("period", () => 90),
    retryDelayExpression: is("retryDelayExpression", () => "1000 * retried"),
    label: is("label", () => "red"),
    labels: is("labels", () => ["red", "blue"]),
    lastScheduleTime: () => {
      const lastAt = schedule["lastScheduleTime"] as number;
      assert.ok(lastAt >= startedAt && lastAt <= Date.now(), String(lastAt));
      assert.equal(binary["lastScheduleTime"], undefined);
    },
    nextScheduleTime: is("nextScheduleTime", nextYear),
    lastScheduleStates: async () => {
      const states = Object.entries(schedule["lastScheduleStates"] as Item);
      assert.match(states[0]?.[0] ?? "", /^msg_/);
      assert.deepEqual(states, [[states[0]?.[0], "IN_PROGRESS"]]);
      const { service, destination } = journey;
      destination.respond = ({ url }) => ({ status: url === "/bad" ? 500 : 200 });
      for (const [path, state] of [
        ["/good", "SUCCESS"],
        ["/bad", "FAIL"],
      ] as const) {
        await service.call("POST", `/v2/schedules/${destination.url}${path}`, {
          headers: { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": "rows-end", "Svc-Retries": "0" },
        });
        await service.fireAt("rows-end", Date.now() - 1);
        await lastStates(service, "rows-end", state);
      }
    },
  });
});

const NOT_TEXT = Uint8Array.of(0xff, 0xfe, 0x00, 0x80);
const HEADERS = {
  "Content-Type": "text/plain",
  "Svc-Schedule-Id": "rows-text",
  "Svc-Cron": "CRON_TZ=UTC 0 0 1 1 *",
  "Svc-Method": "PATCH",
  "Svc-Retries": "2",
  "Svc-Retry-Delay": "1000 * retried",
  "Svc-Delay": "1m30s",
  "Svc-Forward-X-Own": "one",
  "Svc-Callback": "https://callback.example/path",
  "Svc-Failure-Callback": "https://failure.example/path",
  "Svc-Label": "red,blue",
  "Svc-Flow-Control-Key": "rows-key",
  "Svc-Flow-Control-Value": "parallelism=7, rate=50, period=90",
};
