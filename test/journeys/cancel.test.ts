/** A message that is no longer wanted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("cancel", {}, (journey) => {
  test("a waiting message is never sent", async () => {
    const { service, destination } = journey;
    await service.post("/v2/queues", { queueName: "held", paused: true });
    const messageId = await service.enqueue("held", `${destination.url}/waits`);
    const path = `/v2/messages/${messageId}`;
    const { status, json } = await service.call("DELETE", path);
    assert.deepEqual([status, json], [200, { cancelled: 1 }]);
    assert.deepEqual(await service.statesUntil(messageId, "CANCELED"), [
      "CREATED",
      "CANCEL_REQUESTED",
      "CANCELED",
    ]);
    const shown = await service.message(messageId);
    assert.deepEqual(
      [shown["messageId"], shown["url"], shown["state"]],
      [messageId, `${destination.url}/waits`, "CANCELED"],
    );
    assert.equal(await service.status("DELETE", path), 404);
    const later = await service.enqueue("held", `${destination.url}/later`);
    await service.call("POST", "/v2/queues/held/resume");
    await service.logUntil(later, "DELIVERED");
    assert.equal(destination.to("/waits").length, 0);
  });

  test("a message in flight is not retried", async () => {
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
    assert.deepEqual(await service.deadLetters(`messageId=${messageId}`), []);
  });

  test("a message that is accepted while it is cancelled is delivered", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 200, delayMs: 300 });
    const messageId = await service.publish(`${destination.url}/arrives`);
    await destination.received("/arrives");
    await service.call("DELETE", `/v2/messages/${messageId}`);
    await service.logUntil(messageId, "DELIVERED");
  });

  test("an unknown message is not found", async () => {
    await journey.service.refused(
      "DELETE /v2/messages/msg_nothing",
      404,
      /^message msg_nothing not found$/,
    );
  });
});
