/** How many requests an account may make in a day and in a second. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client, QstashDailyRatelimitError, QstashRatelimitError } from "@upstash/qstash";
import { journeys } from "../support/journeys.ts";
import type { CallAnswer } from "../support/http-call.ts";

const DAY_SECONDS = 86_400;

journeys("the limit of a day", {}, (journey) => {
  test("publishing is refused past it, with its three headers, and nothing is stored", async () => {
    const { service, destination } = journey;
    const publish = (): Promise<CallAnswer> =>
      service.call("POST", `/v2/publish/${destination.url}/day`, {
        headers: { "Svc-Callback": `${destination.url}/told` },
      });
    assert.equal((await publish()).status, 200);
    assert.equal((await publish()).status, 200);
    // With their callbacks these are four, and callbacks are never refused.
    await destination.received("/told", 2);
    await service.limit({ requestsPerDayHard: 5 });
    const results = await Promise.all([publish(), publish(), publish()]);
    const accepted = results.filter(({ status }) => status === 200);
    assert.equal(accepted.length, 1);
    await destination.received("/told", 3);

    const created = await service.list("/v2/logs?state=CREATED", "logs");
    assert.equal(created.length, 6, "three messages and their callbacks");

    const refused = results.find(({ status }) => status === 429)!;
    assert.equal(refused.json["error"], "quota maxRequestsPerDay exceeded, current limit: 5");
    assert.equal(refused.json["code"], "daily-limit");
    const { headers } = refused;
    assert.equal(headers["ratelimit-limit"], "5");
    assert.equal(headers["ratelimit-remaining"], "0");
    const resetAt = Number(headers["ratelimit-reset"]);
    assert.equal(resetAt % DAY_SECONDS, 0);
    const secondsLeft = resetAt - Date.now() / 1_000;
    assert.ok(secondsLeft > -1 && secondsLeft <= DAY_SECONDS);
    assert.ok(Math.abs(Number(headers["retry-after"]) - secondsLeft) < 60);
    assert.equal(headers["burst-ratelimit-limit"], undefined);
  });

  test("the public client knows it for what it is", async () => {
    const { service, destination } = journey;
    const client = new Client({ baseUrl: service.url, token: service.token, retry: false });
    await assert.rejects(client.publish({ url: destination.url }), QstashDailyRatelimitError);
  });

  test("what publishes nothing is not refused", async () => {
    const { service } = journey;
    assert.equal(await service.status("GET", "/v2/logs"), 200);
    assert.equal(await service.status("GET", "/v2/dlq"), 200);
  });
});

journeys("the limit of a second", {}, (journey) => {
  before(() => journey.service.limit({ requestsPerSecondMax: 2 }));

  test("calls past it are refused with headers of their own", async () => {
    const { service } = journey;
    // Of five at once at least one is the third in its second, wherever the second ends.
    const calls = Array.from({ length: 5 }, () => service.call("GET", "/v2/dlq"));
    const refused = (await Promise.all(calls)).filter(({ status }) => status === 429);
    assert.ok(refused.length > 0);
    const { headers, json } = refused[0]!;
    assert.equal(json["code"], "burst-limit");
    assert.equal(headers["burst-ratelimit-limit"], "2");
    assert.equal(headers["burst-ratelimit-remaining"], "0");
    assert.ok(Math.abs(Number(headers["burst-ratelimit-reset"]) - Date.now() / 1_000) < 10);
    assert.equal(headers["retry-after"], "1");
    assert.equal(headers["ratelimit-limit"], undefined);
  });

  test("the public client knows it for what it is", async () => {
    const { service } = journey;
    const client = new Client({ baseUrl: service.url, token: service.token, retry: false });
    const calls = Array.from({ length: 5 }, () => client.dlq.listMessages());
    const [refused] = (await Promise.allSettled(calls)).filter(
      ({ status }) => status === "rejected",
    ) as PromiseRejectedResult[];
    assert.ok(refused?.reason instanceof QstashRatelimitError);
    assert.ok(!(refused.reason instanceof QstashDailyRatelimitError));
  });

  test("publishing is spared", async () => {
    const { service, destination } = journey;
    const calls = Array.from({ length: 10 }, () =>
      service.call("POST", `/v2/publish/${destination.url}/spared`),
    );
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
  });
});
