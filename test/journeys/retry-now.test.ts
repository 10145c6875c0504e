/** A message that waits is sent at once when its account asks for it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { journeys } from "../support/journeys.ts";

journeys("retrying now", {}, (journey) => {
  const retry = (id: string) => journey.service.call("POST", `/v2/messages/${id}/retry`);

  test("a failed message does not wait for its next attempt", async () => {
    const { service, destination } = journey;
    destination.respond = (_, nth) => ({ status: nth === 1 ? 500 : 200 });
    const id = await service.publish(`${destination.url}/again`, {
      "Upstash-Retry-Delay": "3600000",
    });
    await service.logUntil(id, "RETRY");
    const answer = await retry(id);
    assert.deepEqual(answer.json, { messageId: id, state: "due" });
    const states = await service.statesUntil(id, "DELIVERED");
    assert.deepEqual(states, ["CREATED", "ACTIVE", "ERROR", "RETRY", "ACTIVE", "DELIVERED"]);
    assert.equal((await retry(id)).status, 404);
  });

  test("a delayed message does not wait for its time", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const id = await service.publish(`${destination.url}/delayed`, { "Upstash-Delay": "1h" });
    assert.equal((await retry(id)).json["state"], "due");
    await service.logUntil(id, "DELIVERED");
  });

  test("an unknown message is not found, and a body is refused", async () => {
    const { service } = journey;
    assert.equal((await retry("msg_none")).status, 404);
    const options = { body: '{"now":true}' };
    const answer = await service.call("POST", "/v2/messages/msg_none/retry", options);
    assert.equal(answer.status, 400);
  });

  test("a run that has not begun or sleeps is left alone", async () => {
    const { service, destination } = journey;
    await service.trigger(`${destination.url}/flow`, { "Upstash-Delay": "1h" });
    const message = (await service.list("/v2/messages", "messages")).at(-1);
    const answer = await retry(String(message?.["messageId"]));
    assert.equal(answer.status, 400, answer.text);
    assert.match(String(answer.json["error"]), /sleeps/);
  });
});
