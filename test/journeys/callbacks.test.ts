/** The callbacks that were made for a message. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import type { TestService } from "../support/service-harness.ts";

journeys("callbacks of a message", {}, (journey) => {
  test("a message lists its callback, and the callback names the message", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const url = `${destination.url}/told`;
    const id = await service.publish(`${destination.url}/sent`, { "Svc-Callback": url });
    const [callback, ...others] = await untilEnded(service, id, 1);
    assert.deepEqual(others, []);
    const { messageId, createdAt, ...rest } = callback!;
    assert.deepEqual(rest, { kind: "callback", url, state: "DELIVERED" });
    assert.ok(Number.isInteger(createdAt));
    const json = await service.message(String(messageId));
    assert.equal(json["sourceMessageId"], id);
  });

  test("a failure has both, and a failed callback that is sent again stays in the list", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({ status: url === "/report" ? 200 : 500 });
    const id = await service.publish(`${destination.url}/fails`, {
      "Svc-Retries": "0",
      "Svc-Callback": `${destination.url}/fails-too`,
      "Svc-Callback-Retries": "0",
      "Svc-Failure-Callback": `${destination.url}/report`,
    });
    const first = await untilEnded(service, id, 2);
    const states = first.map(({ kind, state }) => `${String(kind)} ${String(state)}`);
    assert.deepEqual(new Set(states), new Set(["callback FAILED", "failure-callback DELIVERED"]));
    destination.respond = () => ({});
    const failed = first.find(({ state }) => state === "FAILED")!["messageId"];
    const message = await service.message(String(failed));
    await service.call("POST", `/v2/dlq/retry/${String(message["dlqId"])}`);
    const again = await untilEnded(service, id, 3);
    const callbacks = again.filter(({ kind }) => kind === "callback");
    const ends = new Set(callbacks.map(({ state }) => state));
    assert.deepEqual(ends, new Set(["DELIVERED", "FAILED"]));
  });

  test("a callback has all of an answer, and is shown and sent again whole", async () => {
    const { service, destination } = journey;
    const answer = Buffer.from(
      Uint8Array.from({ length: 900_000 }, (_, at) => (at * 7) ^ (at >> 8)),
    );
    let reports = 0;
    destination.respond = ({ url }) => {
      if (url !== "/large-report") return { body: answer };
      return { status: ++reports === 1 ? 500 : 200 };
    };
    const id = await service.publish(`${destination.url}/large`, {
      "Svc-Callback": `${destination.url}/large-report`,
      "Svc-Callback-Retries": "0",
    });
    const [failed] = await untilEnded(service, id, 1);
    const message = await service.message(String(failed!["messageId"]));
    await service.call("POST", `/v2/dlq/retry/${String(message["dlqId"])}`);
    const [first, second] = await destination.received("/large-report", 2);
    const { body } = JSON.parse(first.body.toString()) as { body: string };
    assert.ok(Buffer.from(body, "base64").equals(answer));
    assert.ok(second!.body.equals(first.body));
    assert.equal(message["body"], first.body.toString());
    assert.equal(message["ahead"], undefined);
  });

  test("a message without callbacks has an empty list, and an unknown one is not found", async () => {
    const { service, destination } = journey;
    const id = await service.publish(`${destination.url}/plain`);
    const { status, json } = await service.call("GET", `/v2/messages/${id}/callbacks`);
    assert.deepEqual([status, json], [200, { callbacks: [] }]);
    await service.refused("GET /v2/messages/msg_unknown/callbacks", 404, /msg_unknown not found/);
  });
});

/** The callbacks of a message, once there are so many and all have ended. */
function untilEnded(service: TestService, id: string, count: number): Promise<Item[]> {
  return eventually(async () => {
    const { json } = await service.call("GET", `/v2/messages/${id}/callbacks`);
    const callbacks = json["callbacks"] as Item[];
    const hasEnded = callbacks.every(({ state }) => state === "DELIVERED" || state === "FAILED");
    return callbacks.length === count && hasEnded ? callbacks : null;
  }, `${count} callbacks of ${id}`);
}
