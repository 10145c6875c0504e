/** Suspending and pausing: what waits, what is refused, and how it goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccount } from "../support/console-call.ts";
import { journeys } from "../support/journeys.ts";

journeys("halted deliveries", {}, (journey) => {
  const post = (path: string) => journey.service.console("POST", `/v2/svc/${path}`);
  test("a suspended account is refused, and what it left waiting is sent when it is active", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const account = await freshAccount(service.url);
    const headers = { "Svc-Retries": "3", "Svc-Retry-Delay": "1000" };
    await account.publish(`${destination.url}/suspended`, headers);
    await destination.received("/suspended");
    const suspended = await post(`suspend/${account.id}`);
    assert.equal(suspended.json["active"], false);
    assert.equal(suspended.json["state"], "passive");
    assert.equal(suspended.json["modifying_state"], "suspended");
    for (const [method, path] of [
      ["GET", "/v2/logs"],
      ["POST", `/v2/publish/${destination.url}/suspended`],
      ["GET", "/v2/keys"],
    ] as const) {
      await account.refused(`${method} ${path}`, 403, /suspended/);
    }
    destination.respond = () => ({});
    // Another account's message passes through the same destination, long after the retry was due.
    const marker = await freshAccount(service.url);
    await marker.publish(`${destination.url}/marker`, { "Svc-Delay": "2s" });
    await destination.received("/marker");
    assert.equal(destination.to("/suspended").length, 1);
    assert.equal((await post(`activate/${account.id}`)).json["state"], "active");
    await destination.received("/suspended", 2);
  });

  test("a paused account publishes, and its deliveries wait until it goes on", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const paused = await freshAccount(service.url);
    const other = await freshAccount(service.url);
    assert.equal((await post(`pause/${paused.id}`)).json["paused"], true);
    for (let count = 0; count < 3; count++) {
      await paused.publish(`${destination.url}/paused`);
    }
    await other.publish(`${destination.url}/other`);
    await destination.received("/other");
    assert.equal(destination.to("/paused").length, 0);
    await post(`resume/${paused.id}`);
    await destination.received("/paused", 3);
  });

  test("the whole service is paused, and goes on where it was", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const { json } = await post("pause");
    assert.equal(json["paused"], true);
    assert.equal((json["nodes"] as string[]).length, 1);
    assert.deepEqual(json["pending"], []);
    await service.publish(`${destination.url}/all`);
    await service.publish(`${destination.url}/all`);
    assert.equal(destination.to("/all").length, 0);
    assert.deepEqual((await post("resume")).json, { paused: false });
    await destination.received("/all", 2);
  });
});
