/** A large body that is shown alone is read and written in parts, and is whole nevertheless. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

const TEXT = 'Grüße, "quoted" \u0001 and 🐎\n'.repeat(60_000);
const BYTES = Buffer.alloc(2_000_000, Buffer.from([0, 1, 2, 250, 251, 252, 253]));

journeys("streamed bodies", {}, (journey) => {
  const waits = { "Upstash-Delay": "1d" };

  test("a text is shown as text, and anything else as base64", async () => {
    const { service } = journey;
    const textId = await service.publish("https://example.com/text", waits, TEXT);
    const text = await service.message(textId);
    assert.equal(text["body"], TEXT);
    assert.equal(text["bodyBase64"], undefined);
    assert.equal(text["messageId"], textId);
    const bytesId = await service.publish("https://example.com/bytes", waits, BYTES);
    const bytes = await service.message(bytesId);
    assert.equal(bytes["body"], undefined);
    assert.ok(Buffer.from(bytes["bodyBase64"] as string, "base64").equals(BYTES));
  });

  test("a redacted body stays hidden", async () => {
    const { service } = journey;
    const headers = { ...waits, "Upstash-Redact-Fields": "body" };
    const messageId = await service.publish("https://example.com/hidden", headers, TEXT);
    const message = await service.message(messageId);
    assert.match(message["body"] as string, /^REDACTED:[0-9a-f]{64}$/);
  });

  test("a dead letter is whole, and HEAD has no body", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500, body: "no" });
    const headers = { "Upstash-Retries": "0" };
    const id = await service.publish(`${destination.url}/dies`, headers, TEXT);
    const { dlqId } = await service.deadLetterOf(id);
    const path = `/v2/dlq/${dlqId}`;
    const shown = await service.call("GET", path);
    assert.equal(shown.json["body"], TEXT);
    assert.equal(shown.json["responseBody"], "no");
    const head = await service.call("HEAD", path);
    assert.deepEqual([head.status, head.text], [200, ""]);
  });

  test("a schedule is whole, and written in parts", async () => {
    const { service } = journey;
    const headers = { "Upstash-Cron": "0 0 1 1 *" };
    for (const body of [TEXT, BYTES]) {
      const made = await service.call("POST", "/v2/schedules/https://example.com/large", {
        headers,
        body,
      });
      const path = `/v2/schedules/${String(made.json["scheduleId"])}`;
      const shown = await service.call("GET", path);
      assert.equal(shown.headers["content-length"], undefined);
      assert.equal(shown.json["cron"], "0 0 1 1 *");
      if (body === TEXT) assert.equal(shown.json["body"], TEXT);
      else assert.equal(shown.json["bodyBase64"], BYTES.toString("base64"));
    }
  });

  test("a failed run and its log are whole, and written in parts", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500, body: "no" });
    const headers = { "Upstash-Retries": "0" };
    const runId = await service.trigger(`${destination.url}/run`, headers, TEXT);
    const { dlqId } = await service.failedRun(runId);
    const shown = await service.call("GET", `/v2/workflows/dlq/${dlqId}`);
    assert.equal(shown.headers["content-length"], undefined);
    assert.equal(shown.json["body"], TEXT);
    assert.equal(shown.json["workflowRunId"], runId);
    const bytes = Buffer.byteLength(TEXT);
    const logs = await service.call("GET", `/v2/workflows/logs?trimBody=${bytes}`);
    assert.equal(logs.headers["content-length"], undefined);
    const [run, ...others] = logs.json["runs"] as { steps: { steps: Item[] }[] }[];
    assert.deepEqual(others, []);
    assert.equal(run?.steps[0]?.steps[0]?.["out"], TEXT);
  });
});
