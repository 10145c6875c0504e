/** What a publisher hides is in the delivery and nowhere else. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

const CANARY = "canary-7f3a";
const HEADER_CANARY = "canary-header-91bc";

journeys("redaction", {}, (journey) => {
  test("hidden values appear in no answer, callback or log line", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({ status: url.startsWith("/secret") ? 500 : 200 });
    const messageId = await service.publish(
      `${destination.url}/secret`,
      {
        "Svc-Redact-Fields": "body, header[X-Key]",
        "Svc-Forward-X-Key": HEADER_CANARY,
        "Svc-Forward-X-Open": "open",
        "Svc-Retries": "0",
        "Svc-Callback": `${destination.url}/told`,
        "Svc-Failure-Callback": `${destination.url}/told`,
      },
      CANARY,
    );
    const [request] = await destination.received("/secret");
    assert.equal(request?.body.toString(), CANARY);
    assert.equal(request?.headers["x-key"], HEADER_CANARY);
    await service.logUntil(messageId, "FAILED");
    const told = await destination.received("/told", 2);

    const letters = await service.call("GET", `/v2/dlq?messageId=${messageId}`);
    const [letter] = letters.json["messages"] as Item[];
    const shown = [
      letters.text,
      ...told.map(({ body }) => body.toString()),
      (await service.call("GET", `/v2/messages/${messageId}`)).text,
      (await service.call("GET", `/v2/dlq/${letter?.["dlqId"] as string}`)).text,
      (await service.call("GET", "/v2/logs")).text,
      (await service.call("GET", "/v2/events")).text,
      ...service.logged,
    ];
    const encoded = [CANARY, HEADER_CANARY].flatMap((text) => [
      text,
      Buffer.from(text).toString("base64").replace(/=+$/, ""),
    ]);
    for (const text of shown) {
      for (const canary of encoded) assert.ok(!text.includes(canary), text);
      assert.ok(!text.includes(service.token));
    }
    const shownHeaders = letter?.["header"] as Item;
    assert.equal(letter?.["body"], `REDACTED:${sha256(CANARY)}`);
    assert.deepEqual(shownHeaders["X-Key"], [`REDACTED:${sha256(HEADER_CANARY)}`]);
    assert.deepEqual(shownHeaders["X-Open"], ["open"]);
  });

  test("a long body has the same marker in its log entries as on its message", async () => {
    const { service, destination } = journey;
    const body = "long".repeat(10_000);
    const headers = { "Svc-Redact-Fields": "body" };
    const messageId = await service.publish(`${destination.url}/long`, headers, body);
    await service.logUntil(messageId, "DELIVERED");
    const message = await service.call("GET", `/v2/messages/${messageId}`);
    const logs = await service.call("GET", `/v2/logs?messageId=${messageId}`);
    assert.equal(message.json["body"], `REDACTED:${sha256(body)}`);
    for (const entry of logs.json["logs"] as Item[]) {
      assert.equal(entry["body"], `REDACTED:${sha256(body)}`);
    }
  });

  test("a dead letter that is sent again carries the original", async () => {
    const { service, destination } = journey;
    const { json } = await service.call("GET", "/v2/dlq");
    const [letter] = json["messages"] as Item[];
    destination.respond = () => ({});
    await service.call("POST", `/v2/dlq/retry/${letter?.["dlqId"] as string}`);
    const [, again] = await destination.received("/secret", 2);
    assert.equal(again?.body.toString(), CANARY);
    assert.equal(again?.headers["x-key"], HEADER_CANARY);
  });
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
