/** A refusal says by itself which input is wrong, for programs, and does not repeat all of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallOptions } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";

const CRON = { "Svc-Cron": "* * * * *" };
/** What destinations are refused for, in a path. */
const DESTINATIONS = [
  "",
  "http://",
  "http:/one-slash.example",
  "ftp://example.com/",
  "http://user:secret@example.com/",
  "http://169.254.169.254/latest",
  "http%3A%2F%2F%ff",
  "a/b",
  "api/llm",
];

type Headers = CallOptions["headers"];
const WRONG: readonly [method: string, path: string, field: string, headers?: Headers][] = [
  ["POST", "/v2/publish/https://x.example", "Svc-Retries", { "Svc-Retries": "x" }],
  ["POST", "/v2/publish/https://x.example", "Svc-Callback", { "Svc-Callback": "ftp://x" }],
  ["POST", "/v2/publish/nowhere", "destination"],
  ["POST", "/v2/enqueue/a%20b/https://x.example", "queueName"],
  ["POST", "/v2/trigger/nowhere", "workflowUrl"],
  ["GET", "/v2/logs?count=0", "count"],
  ["GET", "/v2/logs?a%20b=0", "a?b"],
  ["GET", "/v2/cron/preview?cron=x", "cron"],
  ["GET", "/v2/messages/a%20b", "messageId"],
  ["GET", "/v2/messages/msg_none", "messageId"],
  ["GET", "/v2/dlq/none", "dlqId"],
  ["POST", "/v2/dlq/retry?dlqIds=1-1&dryRun=true", "dlqIds"],
  ["GET", "/v2/schedules/none", "scheduleId"],
  ["GET", "/v2/queues/none", "queueName"],
  ["GET", "/v2/topics/none", "name"],
  ["GET", "/v2/flowControl/none", "flowControlKey"],
  ["GET", "/v2/workflows/runs/none", "workflowRunId"],
  ["POST", "/v2/workflows/hooks/none/none/none", "hook"],
];

journeys("fields of refusals", {}, (journey) => {
  test("a refusal of one header, parameter or part of a path names it", async () => {
    for (const [method, path, field, headers = {}] of WRONG) {
      const { json, text } = await journey.service.call(method, path, { headers });
      assert.equal(json["field"], field, `${path}: ${text}`);
    }
  });

  test("a destination is named as the path that has it calls it", async () => {
    for (const destination of DESTINATIONS) {
      for (const call of ["publish", "enqueue/queue", "schedules", "trigger"]) {
        const path = `/v2/${call}/${destination}`;
        const { json, text } = await journey.service.call("POST", path, { headers: CRON });
        // A trigger knows no groups, and no cron.
        if (text.includes("Svc-Cron")) continue;
        const field = call === "trigger" ? "workflowUrl" : "destination";
        assert.equal(json["field"], field, `${path}: ${text}`);
      }
    }
  });

  test("an item of a batch is refused by its destination, a batch of runs by the item", async () => {
    const { service } = journey;
    const body = JSON.stringify([{ destination: "ftp://x.example" }]);
    const batch = await service.call("POST", "/v2/batch", { body });
    assert.equal((batch.json as unknown as Record<string, unknown>[])[0]!["field"], "destination");
    const runs = await service.call("POST", "/v2/batch/trigger", { body });
    assert.equal(runs.json["field"], "body[0]");
  });

  test("a refusal of the credentials or of the path has no field", async () => {
    const stranger = await journey.service.call("GET", "/v2/keys", { token: "nobody" });
    assert.equal(stranger.json["field"], undefined);
    assert.match(stranger.json["hint"] as string, /credentials/);
    const nothing = await journey.service.call("GET", "/v2/nothing");
    assert.equal(nothing.json["field"], undefined);
  });

  test("a refusal repeats no more of a long id, key or name than its beginning", async () => {
    const long = "x".repeat(200);
    const dryRun = `/v2/dlq/retry?dryRun=true&dlqIds=${long.repeat(10)}`;
    const cut = `${"x".repeat(128)}...`;
    const repeated: readonly [method: string, path: string, sentence: string][] = [
      ["POST", dryRun, `dead letter ${cut} not found`],
      ["GET", `/v2/flowControl/${long}`, `flow-control key ${cut} not found`],
      ["GET", `/v2/workflows/runs/${long}`, `workflowRun ${cut} not found`],
      ["GET", `/v2/logs?${long}=x`, `${cut}: is not a known parameter`],
    ];
    for (const [method, path, sentence] of repeated) {
      assert.equal((await journey.service.call(method, path)).json["error"], sentence);
    }
    const stranger = await journey.service.call("GET", "/v2/logs", { headers: { Origin: long } });
    assert.ok(stranger.text.includes(` ${cut};`), stranger.text);
  });
});
