/** Every header with which a schedule is created, as section 4.2 of the specification lists them. */
import assert from "node:assert/strict";
import { before } from "node:test";
import { journeys } from "../support/journeys.ts";
import type { Received } from "../support/destination-server.ts";
import type { CallAnswer } from "../support/http-call.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import { rowTests } from "./row-tests.ts";

journeys("4.2", {}, (journey) => {
  const create = (
    destination: string,
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<CallAnswer> =>
    journey.service.call("POST", `/v2/schedules/${destination}`, {
      headers: { "Svc-Cron": "0 0 1 1 *", ...headers },
      body,
    });

  /** Creates a schedule to a path of the destination, runs it, and answers its message's id. */
  async function run(
    path: string,
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<string> {
    const { service, destination } = journey;
    const created = await create(`${destination.url}${path}`, headers, body);
    assert.equal(created.status, 200, created.text);
    const id = created.json["scheduleId"] as string;
    return (await service.call("POST", `/v2/schedules/${id}/run`)).json["messageId"] as string;
  }

  /** What the destination received first at a path. */
  async function delivery(path: string): Promise<Received> {
    return (await journey.destination.received(path))[0];
  }

  async function message(id: string): Promise<Item> {
    return (await journey.service.call("GET", `/v2/messages/${id}`)).json;
  }

  before(() => {
    journey.destination.respond = ({ url }) => ({
      status: url.includes("bad") ? 500 : 200,
    });
  });

  rowTests("4.2", "Create a schedule", {
    "Svc-Cron": async () => {
      const { service, destination } = journey;
      const zoned = "CRON_TZ=Asia/Tokyo 30 9 * * *";
      const { json } = await create(`${destination.url}/cron`, { "Svc-Cron": zoned });
      const read = await service.call("GET", `/v2/schedules/${json["scheduleId"] as string}`);
      const next = new Date(read.json["nextScheduleTime"] as number);
      assert.equal(next.toISOString().slice(11), "00:30:00.000Z");
      const missing = await service.call("POST", `/v2/schedules/${destination.url}/cron`);
      assert.equal(missing.status, 400);
      assert.match(missing.json["error"] as string, /Cron/);
      const seconds = await create(`${destination.url}/cron`, { "Svc-Cron": "* * * * * *" });
      assert.equal(seconds.status, 400);
    },
    "Svc-Schedule-Id": async () => {
      const { service, destination } = journey;
      const url = `${destination.url}/id`;
      const first = await create(url, { "Svc-Schedule-Id": "own-id", "Svc-Label": "old" });
      assert.deepEqual(first.json, { scheduleId: "own-id" });
      await create(url, { "Svc-Schedule-Id": "own-id", "Svc-Method": "PUT" });
      const { json } = await service.call("GET", "/v2/schedules/own-id");
      assert.equal(json["method"], "PUT");
      assert.equal(json["labels"], undefined);
      const drawn = await create(url, {});
      assert.match(drawn.json["scheduleId"] as string, /^scd_\w+$/);
    },
    "Content-Type": async () => {
      await run("/type", { "Content-Type": "application/vnd.own+json" }, "{}");
      assert.equal((await delivery("/type")).headers["content-type"], "application/vnd.own+json");
    },
    "Svc-Method": async () => {
      await run("/method", { "Svc-Method": "DELETE" });
      assert.equal((await delivery("/method")).method, "DELETE");
      await run("/method-default", {});
      assert.equal((await delivery("/method-default")).method, "POST");
      const wrong = await create(`${journey.destination.url}/method`, { "Svc-Method": "TRACE" });
      assert.equal(wrong.status, 400);
    },
    "Svc-Timeout": async () => {
      const id = await run("/timeout", { "Svc-Timeout": "2m" });
      assert.equal((await message(id))["timeout"], 120);
    },
    "Svc-Retries": async () => {
      const id = await run("/bad-retries", { "Svc-Retries": "1", "Svc-Retry-Delay": "0" });
      await journey.service.statesUntil(id, "FAILED");
      assert.equal(journey.destination.to("/bad-retries").length, 2);
      const standard = await run("/retries", {});
      assert.equal((await message(standard))["maxRetries"], 5);
    },
    "Svc-Retry-Delay": async () => {
      const id = await run("/bad-delay", { "Svc-Retry-Delay": "pow(10, 7) + retried" });
      const entries = await journey.service.logUntil(id, "RETRY");
      const retry = entries.find(({ state }) => state === "RETRY")!;
      const waited = (retry["nextDeliveryTime"] as number) - (retry["time"] as number);
      // The wait counts from the end of the attempt, which is recorded a moment later.
      assert.ok(waited <= 10_000_000 && waited > 9_900_000, `it waits ${waited} ms`);
    },
    "Svc-Delay": async () => {
      const id = await run("/delayed", { "Svc-Delay": "1d2m" });
      const { notBefore, createdAt } = await message(id);
      assert.equal((notBefore as number) - (createdAt as number), 86_520_000);
    },
    "Svc-Forward-*": async () => {
      await run("/forward", { "Svc-Forward-X-Own": "one" });
      assert.equal((await delivery("/forward")).headers["x-own"], "one");
    },
    "Svc-Callback": async () => {
      const id = await run("/callback", { "Svc-Callback": `${journey.destination.url}/called` });
      const payload = JSON.parse(bodyOf(await delivery("/called"))) as Item;
      assert.equal(payload["sourceMessageId"], id);
      const wrong = await create(`${journey.destination.url}/callback`, {
        "Svc-Callback": "ftp://x",
      });
      assert.equal(wrong.status, 400);
    },
    "Svc-Callback-Forward-*": async () => {
      await run("/callback-forward", {
        "Svc-Callback": `${journey.destination.url}/called-forward`,
        "Svc-Callback-Forward-X-Own": "two",
      });
      assert.equal((await delivery("/called-forward")).headers["x-own"], "two");
    },
    "Svc-Callback-Method": async () => {
      await run("/callback-method", {
        "Svc-Callback": `${journey.destination.url}/called-method`,
        "Svc-Callback-Method": "PUT",
      });
      assert.equal((await delivery("/called-method")).method, "PUT");
    },
    "Svc-Callback-Timeout": () => callbackSetting("Svc-Callback", "Timeout", "3m", "timeout", 180),
    "Svc-Callback-Retries": () => callbackSetting("Svc-Callback", "Retries", "4", "maxRetries", 4),
    "Svc-Callback-Retry-Delay": () =>
      callbackSetting("Svc-Callback", "Retry-Delay", "77", "retryDelayExpression", "77"),
    "Svc-Failure-Callback": async () => {
      const id = await run("/bad-failure", {
        "Svc-Retries": "0",
        "Svc-Failure-Callback": `${journey.destination.url}/failed`,
      });
      const payload = JSON.parse(bodyOf(await delivery("/failed"))) as Item;
      assert.equal(payload["sourceMessageId"], id);
      assert.match(payload["dlqId"] as string, /^\d+-\d+$/);
    },
    "Svc-Failure-Callback-Forward-*": async () => {
      await run("/bad-failure-forward", {
        "Svc-Retries": "0",
        "Svc-Failure-Callback": `${journey.destination.url}/failed-forward`,
        "Svc-Failure-Callback-Forward-X-Own": "three",
      });
      assert.equal((await delivery("/failed-forward")).headers["x-own"], "three");
    },
    "Svc-Failure-Callback-Method, -Timeout, -Retries and -Retry-Delay": async () => {
      const name = "Svc-Failure-Callback";
      await callbackSetting(name, "Method", "PUT", "method", "PUT");
      await callbackSetting(name, "Timeout", "3m", "timeout", 180);
      await callbackSetting(name, "Retries", "4", "maxRetries", 4);
      await callbackSetting(name, "Retry-Delay", "77", "retryDelayExpression", "77");
    },
    "Svc-Redact-Fields": async () => {
      const { service } = journey;
      const id = await run(
        "/redacted",
        { "Svc-Redact-Fields": "body, header[X-Own]", "Svc-Forward-X-Own": "secret one" },
        "secret two",
      );
      const request = await delivery("/redacted");
      assert.deepEqual([request.headers["x-own"], bodyOf(request)], ["secret one", "secret two"]);
      const listed = (await service.call("GET", "/v2/schedules")).text;
      const logged = (await service.call("GET", `/v2/logs?messageId=${id}`)).text;
      assert.doesNotMatch(`${listed}${logged}`, /secret (one|two)/);
      assert.match(listed, /REDACTED:[0-9a-f]{64}/);
    },
    "Svc-Label": async () => {
      const id = await run("/label", { "Svc-Label": "red,blue" });
      assert.deepEqual((await message(id))["labels"], ["red", "blue"]);
      const { json } = await journey.service.call("GET", "/v2/logs?label=blue&state=CREATED");
      assert.deepEqual(
        (json["logs"] as Item[]).map(({ messageId }) => messageId),
        [id],
      );
    },
    "a URL or a URL group as destination": async () => {
      const { service, destination } = journey;
      const endpoints = ["/one", "/two"].map((path) => ({ url: `${destination.url}${path}` }));
      await service.call("POST", "/v2/topics/rows-group/endpoints", {
        body: JSON.stringify({ endpoints }),
      });
      const { json } = await create("rows-group", {});
      await service.call("POST", `/v2/schedules/${json["scheduleId"] as string}/run`);
      await Promise.all([delivery("/one"), delivery("/two")]);
      assert.equal((await create("no-such-group", {})).status, 404);
    },
    "the body is passed on as it is": async () => {
      await run("/body", {}, " { bytes: as given }\r\n");
      assert.equal(bodyOf(await delivery("/body")), " { bytes: as given }\r\n");
    },
  });

  /** A setting of a callback is read off the callback's own message. */
  async function callbackSetting(
    family: "Svc-Callback" | "Svc-Failure-Callback",
    name: string,
    value: string,
    field: string,
    expected: unknown,
  ): Promise<void> {
    const { service, destination } = journey;
    const path = `/${family}-${name}`.toLowerCase();
    await run(`/bad${path}`, {
      "Svc-Retries": "0",
      [family]: `${destination.url}${path}`,
      [`${family}-${name}`]: value,
    });
    const id = (await delivery(path)).headers["svc-message-id"]!;
    const read = await eventually(async () => {
      const answer = await service.call("GET", `/v2/messages/${id}`);
      return answer.status === 200 ? answer.json : null;
    }, `message ${id}`);
    assert.deepEqual(read[field], expected);
  }
});

function bodyOf(request: Received | undefined): string {
  return request?.body.toString() ?? "";
}
