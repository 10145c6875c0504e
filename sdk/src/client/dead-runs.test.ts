import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "./client.ts";

/** A client whose requests are recorded and answered with an empty object. */
function recorded(): { client: Client; asked: string[]; headers: Headers[] } {
  const asked: string[] = [];
  const headers: Headers[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    asked.push(`${init?.method} ${(url as string).replace("http://service", "")}`);
    headers.push(new Headers(init?.headers));
    return Response.json({ workflowRuns: [] });
  };
  return { client: new Client({ baseUrl: "http://service", token: "t", fetch }), asked, headers };
}

test("runs are resumed and restarted one by one, several at once, or as they match", async () => {
  const { client, asked, headers } = recorded();
  const { dlq } = client.workflow;
  const flowControl = { key: "k", parallelism: 2 };
  await dlq.resume("1-1", { retries: 2, flowControl, label: ["a", "b"], failureUrl: "https://a/" });
  await dlq.restart(["1-1", "1-2"], { delay: "5s", retryDelay: "1000" });
  await dlq.resume({ filter: { label: "x", failureFunctionState: "CALLBACK_FAIL" }, count: 5 });
  await dlq.restart({ all: true });
  assert.deepEqual(await dlq.resume([]), { workflowRuns: [] });
  await assert.rejects(dlq.resume({ filter: {} }), /all: true/);
  await dlq.retryFailureFunction("1-1");
  await dlq.cancelFailureFunction("1-1");
  assert.deepEqual(asked, [
    "POST /v2/workflows/dlq/resume/1-1",
    "POST /v2/workflows/dlq/restart?dlqIds=1-1&dlqIds=1-2",
    "POST /v2/workflows/dlq/resume?label=x&failureFunctionState=CALLBACK_FAIL&count=5",
    "POST /v2/workflows/dlq/restart",
    "POST /v2/workflows/dlq/callback/1-1",
    "DELETE /v2/workflows/dlq/callback/1-1",
  ]);
  const shown = ["retries", "flow-control-key", "flow-control-value", "label", "failure-callback"];
  assert.deepEqual(
    shown.map((name) => headers[0]?.get(`Svc-${name}`)),
    ["2", "k", "parallelism=2", "a,b", "https://a/"],
  );
  assert.deepEqual(
    [headers[1]?.get("Svc-Delay"), headers[1]?.get("Svc-Retry-Delay")],
    ["5s", "1000"],
  );
});
