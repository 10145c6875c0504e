/** A large body that is shown alone is read and written in parts, and is whole nevertheless. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";
import { eventually, type Item } from "../support/service-harness.ts";

const TEXT = 'Grüße, "quoted" \u0001 and 🐎\n'.repeat(60_000);
const BYTES = Buffer.alloc(2_000_000, Buffer.from([0, 1, 2, 250, 251, 252, 253]));

journeys("streamed bodies", {}, (journey) => {
  const waits = { "Upstash-Delay": "1d" };

  test("a text is shown as text, and anything else as base64", async () => {
    const { service } = journey;
    const textId = await service.publish("https://example.com/text", waits, TEXT);
    const shown = await service.call("GET", `/v2/messages/${textId}`);
    assert.equal(shown.json["body"], TEXT);
    assert.equal(shown.json["bodyBase64"], undefined);
    assert.equal(shown.json["messageId"], textId);
    const bytesId = await service.publish("https://example.com/bytes", waits, BYTES);
    const { json } = await service.call("GET", `/v2/messages/${bytesId}`);
    assert.equal(json["body"], undefined);
    assert.ok(Buffer.from(json["bodyBase64"] as string, "base64").equals(BYTES));
  });

  test("a redacted body stays hidden", async () => {
    const { service } = journey;
    const headers = { ...waits, "Upstash-Redact-Fields": "body" };
    const messageId = await service.publish("https://example.com/hidden", headers, TEXT);
    const { json } = await service.call("GET", `/v2/messages/${messageId}`);
    assert.match(json["body"] as string, /^REDACTED:[0-9a-f]{64}$/);
  });

  test("a dead letter is whole, and HEAD has no body", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500, body: "no" });
    const headers = { "Upstash-Retries": "0" };
    await service.publish(`${destination.url}/dies`, headers, TEXT);
    const letter = await eventually(async () => {
      const { json } = await service.call("GET", "/v2/dlq");
      return (json["messages"] as Item[])[0] ?? null;
    }, "a dead letter");
    const path = `/v2/dlq/${String(letter["dlqId"])}`;
    const shown = await service.call("GET", path);
    assert.equal(shown.json["body"], TEXT);
    assert.equal(shown.json["responseBody"], "no");
    const head = await service.call("HEAD", path);
    assert.deepEqual([head.status, head.text], [200, ""]);
  });
});
