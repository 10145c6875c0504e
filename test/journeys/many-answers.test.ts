/** Many large answers, one after the other, are all kept: the memory of each is given back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

const MEBIBYTE = 1024 * 1024;
/** More than there is memory for at once. */
const COUNT = 80;

journeys("many answers", {}, (journey) => {
  test("each is delivered with its answer", async () => {
    const { service, destination } = journey;
    const body = Buffer.alloc(MEBIBYTE, "x").toString();
    destination.respond = () => ({ body });
    const messages = Array.from({ length: COUNT }, () => ({
      destination: destination.url,
      headers: { "Svc-Timeout": "20s" },
    }));
    const sent = await service.batch(messages);
    assert.equal(sent.length, COUNT);
    for (const { messageId } of sent) {
      const states = await service.statesUntil(String(messageId), "DELIVERED");
      assert.ok(!states.includes("RETRY"), String(messageId));
    }
  });
});
