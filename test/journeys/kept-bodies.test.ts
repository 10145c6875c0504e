/** How much of a body an account keeps with its log. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("kept bodies", {}, (journey) => {
  before(() => journey.service.limit({ eventBytesMax: 5 }));

  test("the log has as many bytes of a body and of an answer as the account keeps", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ body: "a long answer" });
    const url = `${destination.url}/kept`;
    const messageId = await service.publish(url, {}, "a long body");
    const entries = await service.logUntil(messageId, "DELIVERED");
    const delivered = entries.find(({ state }) => state === "DELIVERED");
    assert.equal(decoded(delivered?.["body"]), "a lon");
    assert.equal(decoded(delivered?.["responseBody"]), "a lon");
    assert.equal((await service.message(messageId))["body"], "a long body");
  });

  test("a dead letter has its last answer whole", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500, body: "a long answer" });
    const headers = { "Svc-Retries": "0" };
    const messageId = await service.publish(`${destination.url}/dead`, headers, "a long body");
    assert.equal((await service.deadLetterOf(messageId))["responseBody"], "a long answer");
  });
});

function decoded(text: unknown): string {
  return Buffer.from(String(text), "base64").toString();
}
