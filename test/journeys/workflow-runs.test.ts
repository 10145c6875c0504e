/** Starting and ending runs over plain HTTP, in both dialects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve as serveOld } from "upstash-workflow-0-2";
import type { Item } from "../support/account-calls.ts";
import { jsonOf } from "../support/destination-server.ts";
import { OTHER_TOKEN } from "../support/service-harness.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("workflow runs", {}, (journey) => {
  /** A run whose endpoint does not go on by itself. */
  async function startIdle(runId: string, headers: Record<string, string> = {}): Promise<Item> {
    const { service, destination } = journey;
    destination.respond = () => ({ headers: { "Svc-Workflow-Sdk-Version": "1" } });
    const answer = await service.call("POST", `/v2/trigger/${destination.url}/idle-${runId}`, {
      headers: {
        "Svc-Workflow-RunId": runId,
        "Content-Type": "text/plain",
        // A run that gains nothing from its first delivery fails, so there is none for now.
        "Svc-Delay": "1h",
        ...headers,
      },
      body: "payload",
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  function submit(runId: string, submitted: object, headers: Record<string, string> = {}) {
    const { service, destination } = journey;
    return service.call("POST", `/v2/publish/${destination.url}/idle-${runId}`, {
      headers: { "Svc-Workflow-RunId": runId, "Svc-Workflow-Init": "false", ...headers },
      body: JSON.stringify(submitted),
    });
  }

  test("a trigger over HTTP needs no handshake", async () => {
    const { service, endpoint } = journey;
    const url = journey.serve("/rest", async (context) => {
      await context.run("one", () => 1);
      await context.run("two", () => 2);
    });
    const { status, json } = await service.call("POST", `/v2/trigger/${url}`, {
      headers: { "Upstash-Label": "a,b", "Upstash-Forward-X-Own": "yes" },
      body: "hello",
    });
    assert.equal(status, 200);
    assert.match(json["workflowRunId"] as string, /^wfr_/);
    assert.equal(typeof json["workflowCreatedAt"], "number");
    await journey.phase(json["workflowRunId"] as string, "success");
    assert.equal(endpoint.to("/rest").length, 3);
    assert.equal(endpoint.to("/rest")[0]?.headers["upstash-label"], "a,b");
    assert.equal(endpoint.to("/rest")[2]?.headers["x-own"], "yes");
  });

  test("several runs are started in one call", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ headers: { "Svc-Workflow-Sdk-Version": "1" } });
    const item = (runId: string) => ({
      destination: `${destination.url}/idle`,
      headers: { "Svc-Workflow-RunId": runId },
      body: "x",
    });
    const items = [item("batch-a"), item("batch-b"), item("batch-a")];
    const answer = await service.call("POST", "/v2/batch/trigger", { body: JSON.stringify(items) });
    assert.equal(answer.status, 201, answer.text);
    const started = JSON.parse(answer.text) as Item[];
    assert.deepEqual(
      started.map((one) => one["workflowRunId"]),
      ["batch-a", "batch-b", "batch-a"],
    );
    assert.equal(started.filter((one) => one["deduplicated"] === true).length, 1);
  });

  test("the first delivery carries the payload as the only entry", async () => {
    const { destination } = journey;
    await startIdle("svc-run", { "Svc-Delay": "0s", "Svc-Forward-X-Own": "yes" });
    const [request] = await destination.received("/idle-svc-run");
    assert.deepEqual(jsonOf(request), [
      {
        messageId: request.headers["svc-message-id"],
        callType: "step",
        body: Buffer.from("payload").toString("base64"),
      },
    ]);
    assert.equal(request.headers["svc-workflow-runid"], "svc-run");
    assert.equal(request.headers["svc-workflow-sdk-version"], "1");
    assert.equal(request.headers["x-own"], "yes");
    assert.equal(request.headers["content-type"], "text/plain");
  });

  test("an id is taken while its run has not ended, and free afterwards", async () => {
    const { service } = journey;
    const first = await startIdle("again");
    const second = await startIdle("again");
    assert.equal(second["deduplicated"], true);
    assert.equal(second["workflowCreatedAt"], first["workflowCreatedAt"]);
    assert.equal(await service.status("DELETE", "/v2/workflows/runs/again"), 200);
    const third = await startIdle("again");
    assert.equal(third["deduplicated"], undefined);
    assert.ok((third["workflowCreatedAt"] as number) > (first["workflowCreatedAt"] as number));
  });

  test("a delayed run is there at once, and is cancelled before it begins", async () => {
    const { service, destination } = journey;
    await startIdle("delayed", { "Svc-Delay": "1h" });
    assert.equal(await service.status("GET", "/v2/workflows/runs/delayed"), 200);
    assert.equal(await service.status("DELETE", "/v2/workflows/runs/delayed"), 200);
    await service.refused(
      "DELETE /v2/workflows/runs/delayed",
      404,
      /^workflowRun delayed not found$/,
    );
    assert.equal(await service.status("GET", "/v2/workflows/runs/delayed"), 404);
    assert.deepEqual(destination.to("/idle-delayed"), []);
  });

  test("what is submitted twice is stored once, and answered with the first id", async () => {
    await startIdle("twice");
    const first = await submit("twice", step(1, { out: "1" }));
    const second = await submit("twice", step(1, { out: "2" }));
    assert.equal(first.status, 200, first.text);
    assert.deepEqual(second.json, { messageId: first.json["messageId"], deduplicated: true });
    assert.equal((await journey.service.all("/v2/workflows/runs/twice")).length, 2);
  });

  test("a run that has ended takes nothing more", async () => {
    const { service, destination } = journey;
    await startIdle("over");
    const finish = () =>
      service.status("DELETE", "/v2/workflows/runs/over?cancel=false", { body: '"done"' });
    assert.equal(await finish(), 200);
    assert.equal(await finish(), 200);
    await journey.phase("over", "success");
    const ENDED = "failed to publish to url: can not append to a a cancelled workflow";
    const single = await submit("over", step(1));
    assert.deepEqual([single.status, single.json["error"]], [400, ENDED]);
    const items = [
      {
        destination: `${destination.url}/idle`,
        headers: { "Svc-Workflow-RunId": "over", "Svc-Workflow-Init": "false" },
        body: JSON.stringify(step(1)),
      },
    ];
    const batch = await service.call("POST", "/v2/batch", { body: JSON.stringify(items) });
    assert.equal(batch.status, 400);
    assert.equal((JSON.parse(batch.text) as Item[])[0]?.["error"], ENDED);
  });

  test("a malformed step is refused, and never as the end of the run", async () => {
    await startIdle("strict");
    const before = await journey.service.rowCount();
    const bad: object[] = [
      { stepName: "x", stepType: "Run" },
      step(-1),
      step(1.5),
      step(0),
      step(1, { stepName: "" }),
      [],
    ];
    for (const one of bad) {
      const { status, text } = await submit("strict", one);
      assert.equal(status, 422, text);
      assert.match(text, /error/);
    }
    const headers = [
      { "Svc-Retries": "many" },
      { "Svc-Delay": "soon" },
      { "Upstash-Retries": "1" },
      { "Svc-Unknown": "1" },
      { "Svc-Workflow-CreatedAt": "yesterday" },
    ];
    for (const one of headers) assert.equal((await submit("strict", step(1), one)).status, 422);
    const { status } = await submit("strict", step(1), { "Svc-Retries": "1000000" });
    assert.equal(status, 412);
    assert.equal(await journey.service.rowCount(), before);
  });

  test("an endpoint with an SDK of the 0.2 line runs to its end", async () => {
    const { endpoint, serveOptions } = journey;
    const { handler } = serveOld(async (context) => {
      const one = await context.run("one", () => 1);
      await Promise.all([context.run("a", () => one), context.sleep("b", 1)]);
    }, serveOptions as never);
    const url = endpoint.serve("/old", handler);
    await journey.run(url, "success");
    assert.equal(endpoint.to("/old").length, 6);
  });

  test("another account's run is not there", async () => {
    const { service } = journey;
    await startIdle("private");
    for (const method of ["GET", "DELETE"]) {
      const answer = await service.call(method, "/v2/workflows/runs/private", {
        token: OTHER_TOKEN,
      });
      const missing = await service.call(method, "/v2/workflows/runs/nowhere", {
        token: OTHER_TOKEN,
      });
      assert.equal(answer.status, 404);
      assert.equal(answer.text.replace("private", "nowhere"), missing.text);
    }
  });
});

function step(stepId: number, more: object = {}): object {
  return { stepId, stepName: `step ${stepId}`, stepType: "Run", concurrent: 1, ...more };
}
