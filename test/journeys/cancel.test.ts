/** A message that is no longer wanted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("cancel", {}, (journey) => {
  test("a waiting message is never sent", async () => {
    const { service, destination } = journey;
    const messageId = await service.publish(`${destination.url}/waits`, { "Svc-Delay": "1s" });
    const answer = await service.call("DELETE", `/v2/messages/${messageId}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { cancelled: 1 });
    assert.deepEqual(await service.statesUntil(messageId, "CANCELED"), [
      "CREATED",
      "CANCEL_REQUESTED",
      "CANCELED",
    ]);
    const shown = await service.call("GET", `/v2/messages/${messageId}`);
    assert.equal(shown.status, 200);
    assert.deepEqual(
      [shown.json["messageId"], shown.json["url"], shown.json["state"]],
      [messageId, `${destination.url}/waits`, "CANCELED"],
    );
    assert.equal((await service.call("DELETE", `/v2/messages/${messageId}`)).status, 404);
    const later = await service.publish(`${destination.url}/later`, { "Svc-Delay": "1s" });
    await service.logUntil(later, "DELIVERED");
    assert.equal(destination.to("/waits").length, 0);
  });

  test("of one in flight no retry follows", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500, delayMs: 300 });
    const headers = { "Svc-Retry-Delay": "1" };
    const messageId = await service.publish(`${destination.url}/flies`, headers);
    await destination.received("/flies");
    const answer = await service.call("DELETE", `/v2/messages/${messageId}`);
    assert.deepEqual(answer.json, { cancelled: 1, inFlight: 1 });
    const again = await service.call("DELETE", `/v2/messages/${messageId}`);
    assert.deepEqual(again.json, { cancelled: 0, inFlight: 1 });
    assert.deepEqual(await service.statesUntil(messageId, "CANCELED"), [
      "CREATED",
      "ACTIVE",
      "CANCEL_REQUESTED",
      "ERROR",
      "CANCELED",
    ]);
    assert.equal(destination.to("/flies").length, 1);
    const { json } = await service.call("GET", `/v2/dlq?messageId=${messageId}`);
    assert.deepEqual(json, { messages: [] });
  });

  test("what was accepted while being cancelled is delivered", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 200, delayMs: 300 });
    const messageId = await service.publish(`${destination.url}/arrives`);
    await destination.received("/arrives");
    await service.call("DELETE", `/v2/messages/${messageId}`);
    await service.logUntil(messageId, "DELIVERED");
  });

  test("what never was is not found", async () => {
    const answer = await journey.service.call("DELETE", "/v2/messages/msg_nothing");
    assert.equal(answer.status, 404);
    assert.equal(answer.json["error"], "message msg_nothing not found");
  });
});
