/** Many waiting messages are sent now, by the filters of a cancellation. */
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Item } from "../support/account-calls.ts";
import { journeys } from "../support/journeys.ts";

const HOUR_MS = 3_600_000;
const LATER = { "Svc-Delay": "1h" };

journeys("sending many now", {}, (journey) => {
  const retry = async (query: string, body?: object): Promise<Item> => {
    const options = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await journey.service.call("POST", `/v2/messages/retry?${query}`, options);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  const delayed = (label: string, more: Record<string, string> = {}): Promise<string> =>
    journey.service.publish(`${journey.destination.url}/${label}`, {
      ...LATER,
      "Svc-Label": label,
      ...more,
    });

  test("those that match and wait for a time are sent, the others stay", async () => {
    const { service } = journey;
    const wanted = [await delayed("bulk"), await delayed("bulk")];
    const other = await delayed("other");
    assert.deepEqual(await retry("label=bulk"), { retried: 2 });
    for (const id of wanted) await service.logUntil(id, "DELIVERED");
    const { state, waiting } = await service.message(other);
    assert.equal(state, "CREATED");
    assert.equal((waiting as Item)["reason"], "delay");
    assert.deepEqual(await retry("label=bulk"), { retried: 0 });
    await service.call("DELETE", `/v2/messages/${other}`);
  });

  test("the wait for a retry ends, and delivered and dead messages stay as they are", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 503 });
    const headers = { "Svc-Label": "failing", "Svc-Retry-Delay": String(HOUR_MS) };
    const waits = await service.publish(`${destination.url}/failing`, headers);
    const dead = await service.publish(`${destination.url}/failing`, {
      ...headers,
      "Svc-Retries": "0",
    });
    await service.logUntil(waits, "RETRY");
    await service.logUntil(dead, "FAILED");
    destination.respond = () => ({});
    assert.deepEqual(await retry("label=failing"), { retried: 1 });
    await service.logUntil(waits, "DELIVERED");
    assert.deepEqual(await retry(`messageIds=${waits},${dead},msg_unknown`), { retried: 0 });
    assert.equal((await service.message(dead))["state"], "FAILED");
    assert.equal((await service.deadLetters("label=failing")).length, 1);
    await service.call("DELETE", "/v2/dlq?label=failing");
  });

  test("by ids in query or body, and only so many", async () => {
    const { service } = journey;
    const ids = [await delayed("named"), await delayed("named"), await delayed("named")];
    assert.deepEqual(await retry("", { messageIds: [] }), { retried: 0 });
    assert.equal((await retry("dryRun=true", { messageIds: [] }))["count"], 0);
    assert.deepEqual(await retry("", { messageIds: [ids[1], ids[1]] }), { retried: 1 });
    await service.logUntil(ids[1]!, "DELIVERED");
    const some = await retry("label=named&count=1");
    assert.equal(some["retried"], 1);
    await service.logUntil(ids[0]!, "DELIVERED");
    const rest = await retry(`label=named&cursor=${some["cursor"] as string}`);
    assert.deepEqual(rest, { retried: 1 });
    await service.logUntil(ids[2]!, "DELIVERED");
  });

  test("over spreads them, and delays none that is due sooner", async () => {
    const { service } = journey;
    const long = await Promise.all(
      Array.from({ length: 20 }, () => delayed("spread", { "Svc-Delay": "12h" })),
    );
    const soon = await delayed("spread", { "Svc-Delay": "2s" });
    const before = Date.now();
    assert.deepEqual(await retry("label=spread&over=1h"), { retried: 21 });
    await service.logUntil(soon, "DELIVERED");
    const ends: number[] = [];
    for (const id of long) {
      const { waiting } = await service.message(id);
      if (waiting !== undefined) ends.push((waiting as Item)["endsAt"] as number);
    }
    assert.ok(ends.length >= 18, `${ends.length} wait`);
    assert.ok(ends.every((at) => at <= Date.now() + HOUR_MS));
    assert.ok(Math.max(...ends) > before + HOUR_MS / 2);
    assert.ok(Math.min(...ends) < before + HOUR_MS / 2);
    await service.call("DELETE", "/v2/messages?label=spread");
    for (const [query, named] of [
      ["over=2d", /over/],
      ["over=x", /over/],
      ["dryRun=maybe", /dryRun/],
      ["count=0", /count/],
      ["unknown=1", /unknown/],
    ] as const) {
      const answer = await service.call("POST", `/v2/messages/retry?${query}`);
      assert.equal(answer.status, 400, query);
      assert.match(String(answer.json["error"]), named);
    }
  });

  test("a run that sleeps is not woken", async () => {
    const { service, destination } = journey;
    const runId = await service.trigger(`${destination.url}/sleeper`, {
      ...LATER,
      "Svc-Label": "sleeper",
    });
    assert.deepEqual(await retry("label=sleeper&dryRun=true"), {
      dryRun: true,
      count: 0,
      isAbout: false,
    });
    assert.deepEqual(await retry("label=sleeper"), { retried: 0 });
    await service.call("DELETE", `/v2/workflows/runs/${runId}`);
  });

  test("a dry run counts what each bulk call would change, and changes nothing", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const none = { "Svc-Retries": "0", "Svc-Label": "dry" };
    const waiting = [await delayed("dry"), await delayed("dry"), await delayed("dry")];
    const dead = await service.publish(`${destination.url}/dead`, none);
    await service.logUntil(dead, "FAILED");
    const failed = await service.trigger(`${destination.url}/run`, none);
    const { dlqId } = await service.failedRun(failed);
    const started = await service.trigger(`${destination.url}/run`, {
      ...LATER,
      "Svc-Label": "dry",
    });
    const dry = async (method: string, path: string): Promise<unknown> => {
      const { status, json } = await service.call(method, `${path}&dryRun=true`);
      assert.equal(status, 200, path);
      assert.deepEqual({ ...json, count: 0 }, { dryRun: true, count: 0, isAbout: false });
      return json["count"];
    };
    const counts: [number, string, string][] = [
      [3, "DELETE", "/v2/messages?label=dry"],
      [2, "DELETE", "/v2/messages?label=dry&count=2"],
      [2, "DELETE", `/v2/messages?messageIds=${waiting[0]},${waiting[1]},${dead},${waiting[0]}`],
      [3, "POST", "/v2/messages/retry?label=dry"],
      [3, "POST", "/v2/messages/retry?label=dry&over=1h"],
      [1, "POST", `/v2/messages/retry?messageIds=${waiting[0]},${dead}`],
      [1, "DELETE", "/v2/dlq?label=dry"],
      [1, "POST", "/v2/dlq/retry?label=dry"],
      [1, "DELETE", "/v2/workflows/dlq?label=dry"],
      [1, "DELETE", `/v2/workflows/dlq?dlqIds=${dlqId},1-1`],
      [1, "POST", "/v2/workflows/dlq/resume?label=dry"],
      [1, "POST", "/v2/workflows/dlq/restart?label=dry"],
      [1, "DELETE", "/v2/workflows/runs?label=dry"],
      [1, "DELETE", `/v2/workflows/runs?workflowRunIds=${started},${failed}`],
    ];
    for (const [count, method, path] of counts) {
      assert.equal(await dry(method, path), count, `${method} ${path}`);
    }
    const inBody = await service.call("DELETE", "/v2/messages", {
      body: JSON.stringify({ label: ["dry"], dryRun: true }),
    });
    assert.equal(inBody.json["count"], 3);
    // Nothing has changed: each call still finds what it counted.
    const cancelled = await service.call("DELETE", "/v2/messages?label=dry&dryRun=false");
    assert.equal(cancelled.json["cancelled"], 3);
    assert.equal((await service.call("DELETE", "/v2/dlq?label=dry")).json["deleted"], 1);
    const runs = await service.call("DELETE", "/v2/workflows/dlq?label=dry");
    assert.equal(runs.json["deleted"], 1);
    const ended = await service.call("DELETE", "/v2/workflows/runs?label=dry");
    assert.equal(ended.json["cancelled"], 1);
  });

  test("a dry run is refused as the action is, and continues at a cursor", async () => {
    const { service } = journey;
    for (const path of ["dlq/retry", "workflows/dlq/resume", "workflows/dlq/restart"]) {
      const unknown = await service.call("POST", `/v2/${path}?dlqIds=1-1&dryRun=true`);
      assert.equal(unknown.status, 404, path);
    }
    for (const path of ["messages/retry", "dlq/retry", "workflows/dlq/resume"]) {
      await service.refused(`POST /v2/${path}?over=2d&dryRun=true`, 400, /over: /);
    }
    const delay = { "Svc-Delay": "1d" };
    await service.refused("POST /v2/dlq/retry?over=1d&dryRun=true", 400, /over: ends after/, {
      headers: { "Svc-Delay": "365d" },
    });
    for (let n = 0; n < 3; n++) await delayed("paged", delay);
    const first = await retry("label=paged&count=1");
    const rest = `label=paged&cursor=${first["cursor"] as string}`;
    await delayed("paged", delay);
    assert.equal((await retry(`${rest}&dryRun=true`))["count"], 3);
    assert.equal((await retry(rest))["retried"], 3);
    await service.refused("POST /v2/messages/retry?cursor=x&dryRun=true", 400, /cursor/);
  });

  test("a dry run needs a token that may act", async () => {
    const { service } = journey;
    const made = await service.call("POST", "/v2/account/tokens", {
      body: JSON.stringify({ name: "look", scope: "read-only" }),
    });
    const token = made.json["token"] as string;
    for (const path of ["/v2/messages/retry?dryRun=true", "/v2/dlq/retry?dryRun=true"]) {
      assert.equal((await service.call("POST", path, { token })).status, 403, path);
    }
    assert.equal((await service.call("GET", "/v2/messages", { token })).status, 200);
  });
});
