/** What a publisher hides is in the delivery and nowhere else. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { textOf } from "../support/destination-server.ts";
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
    assert.equal(textOf(request), CANARY);
    assert.equal(request.headers["x-key"], HEADER_CANARY);
    const told = await destination.received("/told", 2);

    const letter = await service.deadLetterOf(messageId);
    const paths = [
      `/v2/dlq?messageId=${messageId}`,
      `/v2/dlq/${letter.dlqId}`,
      `/v2/messages/${messageId}`,
      "/v2/logs",
      "/v2/events",
    ];
    const answers = await Promise.all(paths.map((path) => service.call("GET", path)));
    const shown = [...answers.map(({ text }) => text), ...told.map(textOf), ...service.logged];
    const encoded = [CANARY, HEADER_CANARY].flatMap((text) => [
      text,
      Buffer.from(text).toString("base64").replace(/=+$/, ""),
    ]);
    for (const text of shown) {
      for (const canary of encoded) assert.ok(!text.includes(canary), text);
      assert.ok(!text.includes(service.token));
    }
    const shownHeaders = letter["header"] as Item;
    assert.equal(letter["body"], `REDACTED:${sha256(CANARY)}`);
    assert.deepEqual(shownHeaders["X-Key"], [`REDACTED:${sha256(HEADER_CANARY)}`]);
    assert.deepEqual(shownHeaders["X-Open"], ["open"]);
  });

  test("a long body has the same marker in its log entries as on its message", async () => {
    const { service, destination } = journey;
    const body = "long".repeat(10_000);
    const headers = { "Svc-Redact-Fields": "body" };
    const messageId = await service.publish(`${destination.url}/long`, headers, body);
    await service.logUntil(messageId, "DELIVERED");
    const message = await service.message(messageId);
    assert.equal(message["body"], `REDACTED:${sha256(body)}`);
    for (const entry of await service.log(messageId)) {
      assert.equal(entry["body"], `REDACTED:${sha256(body)}`);
    }
  });

  test("a dead letter that is sent again carries the original", async () => {
    const { service, destination } = journey;
    const [letter] = await service.deadLetters();
    destination.respond = () => ({});
    await service.call("POST", `/v2/dlq/retry/${String(letter?.["dlqId"])}`);
    const [, again] = await destination.received("/secret", 2);
    assert.equal(textOf(again), CANARY);
    assert.equal(again?.headers["x-key"], HEADER_CANARY);
  });
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
