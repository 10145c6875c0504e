/** Every field of a run's log, as section 2.3 of the specification lists them. */
import assert from "node:assert/strict";
import { before } from "node:test";
import { serve } from "@upstash/workflow";
import { createWorkflow, serveMany } from "@upstash/workflow/cloudflare";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";
import { rowTests } from "./row-tests.ts";

workflowJourneys("2.3", {}, (journey) => {
  let parent: Item;
  let child: Item;
  let failed: Item;
  let url: string;
  let startedAt: number;

  async function logOf(query: string): Promise<Item> {
    const { json, text } = await journey.service.call(
      "GET",
      `/v2/workflows/logs?${query}&trimBody=10000`,
    );
    const [run] = json["runs"] as Item[];
    assert.ok(run, text);
    return run;
  }

  const step = (name: string): Item =>
    stepsOf(parent).find(({ stepName }) => stepName === name) ?? {};

  before(async () => {
    const { endpoint, serveOptions, destination, service } = journey;
    destination.respond = () => ({ status: 201, body: "made", headers: { "X-Answer": "yes" } });
    const inner = createWorkflow((context) => context.run("only", () => "from the child"));
    const outer = createWorkflow(async (context) => {
      await context.run("work", () => "worked");
      await context.call("call", {
        url: `${destination.url}/third`,
        method: "PUT",
        body: "asked",
        headers: { "X-Asked": "one" },
      });
      await context.waitForEvent("wait", "never", { timeout: "1s" });
      const { body } = await context.invoke("child", {
        workflow: inner,
        body: "given",
        headers: { "X-Given": "one" },
      });
      await Promise.all([context.run("left", () => 1), context.run("right", () => 2)]);
      return body;
    });
    const many = serveMany({ outer, inner }, serveOptions);
    const handler = (request: Request): Promise<Response> => many.fetch(request, {});
    url = endpoint.serve("/outer", handler);
    endpoint.serve("/inner", handler);
    startedAt = Date.now();
    const broken = serve(
      async (context) => {
        await context.run("breaks", () => {
          throw new Error("no luck");
        });
      },
      { ...serveOptions, failureFunction: () => "told" },
    );
    await service.call("POST", `/v2/trigger/${url}`, { headers: HEADERS, body: "payload" });
    await service.call("POST", `/v2/trigger/${endpoint.serve("/broken", broken.handler)}`, {
      headers: {
        "Upstash-Workflow-RunId": "rows-failed",
        "Upstash-Retries": "1",
        "Upstash-Retry-Delay": "0",
      },
    });
    await journey.phase("rows-parent", "success");
    await journey.phase("rows-failed", "failed");
    parent = await logOf("workflowRunId=rows-parent");
    child = await logOf(`workflowUrl=${endpoint.url}/inner`);
    failed = await eventually(async () => {
      const run = await logOf("workflowRunId=rows-failed");
      const { state } = (run["failureFunction"] ?? {}) as Item;
      return state === "CALLBACK_SUCCESS" ? run : null;
    }, "the failure function");
  });

  const page = async (cursor: string): Promise<Item> =>
    (await journey.service.call("GET", `/v2/workflows/logs?count=2&cursor=${cursor}`)).json;

  const isTime = (at: unknown): void =>
    assert.ok((at as number) >= startedAt && (at as number) <= Date.now(), String(at));

  rowTests("2.3", "Workflow run log", {
    workflowRunId: () => assert.equal(parent["workflowRunId"], "rows-parent"),
    workflowUrl: () => assert.equal(parent["workflowUrl"], url),
    workflowState: () => {
      assert.equal(parent["workflowState"], "RUN_SUCCESS");
      assert.equal(failed["workflowState"], "RUN_FAILED");
    },
    workflowRunCreatedAt: () => isTime(parent["workflowRunCreatedAt"]),
    workflowRunCompletedAt: () => {
      isTime(parent["workflowRunCompletedAt"]);
      const took =
        (parent["workflowRunCompletedAt"] as number) - (parent["workflowRunCreatedAt"] as number);
      assert.ok(took >= 1_000, String(took));
    },
    workflowRunCallerIp: () => assert.equal(parent["workflowRunCallerIp"], "127.0.0.1"),
    steps: () => {
      const groups = parent["steps"] as Item[];
      const outline = groups.map(({ type, steps }) => [type, (steps as Item[]).length]);
      assert.deepEqual(outline, [
        ...Array.from({ length: 5 }, () => ["sequential", 1]),
        ["parallel", 2],
      ]);
    },
    workflowRunResponse: () => assert.equal(parent["workflowRunResponse"], '"from the child"'),
    invoker: () => {
      assert.deepEqual(child["invoker"], {
        workflowRunId: "rows-parent",
        workflowUrl: url,
        workflowRunCreatedAt: parent["workflowRunCreatedAt"],
      });
      assert.equal(parent["invoker"], undefined);
    },
    failureFunction: () => {
      assert.equal((failed["failureFunction"] as Item)["state"], "CALLBACK_SUCCESS");
      assert.equal(parent["failureFunction"], undefined);
    },
    dlqId: () => assert.match(failed["dlqId"] as string, /^\d+-\d+$/),
    label: () => assert.equal(parent["label"], "red"),
    labels: () => assert.deepEqual(parent["labels"], ["red", "blue"]),
    flowControlKey: () => assert.equal(parent["flowControlKey"], "rows-key"),
    "step record": () => {
      const work = step("work");
      assert.equal(work["stepId"], 1);
      assert.deepEqual([work["stepType"], work["callType"], work["state"]], STEP);
      assert.match(work["messageId"] as string, /^msg_/);
      isTime(work["createdAt"]);
      assert.equal(work["out"], '"worked"');
      assert.equal(work["retries"], 2);
      const call = step("call");
      assert.equal(call["callUrl"], `${journey.destination.url}/third`);
      assert.deepEqual([call["callMethod"], call["callBody"]], ["PUT", "asked"]);
      assert.deepEqual((call["callHeaders"] as Item)["X-Asked"], ["one"]);
      assert.deepEqual([call["callResponseStatus"], call["callResponseBody"]], [201, "made"]);
      assert.deepEqual((call["callResponseHeaders"] as Item)["X-Answer"], ["yes"]);
      const wait = step("wait");
      assert.deepEqual([wait["waitEventId"], wait["waitTimeout"]], ["never", true]);
      const invoked = step("child");
      assert.equal(invoked["invokedWorkflowRunId"], child["workflowRunId"]);
      assert.equal(invoked["invokedWorkflowUrl"], `${journey.endpoint.url}/inner`);
      assert.equal(invoked["invokedWorkflowCreatedAt"], child["workflowRunCreatedAt"]);
      assert.equal(invoked["invokedWorkflowRunBody"], "given");
      const headers = invoked["invokedWorkflowRunHeaders"] as Item;
      assert.deepEqual(headers["X-Given"], ["one"]);
      assert.deepEqual(headers, stepsOf(child)[0]?.["headers"]);
    },
    "failure function record": () => {
      const record = failed["failureFunction"] as Item;
      assert.match(record["messageId"] as string, /^msg_/);
      assert.equal(record["url"], `${journey.endpoint.url}/broken`);
      assert.equal(record["dlqId"], failed["dlqId"]);
      assert.deepEqual([record["failStatus"], record["failResponse"]], [500, "no luck"]);
      assert.equal(typeof record["failHeaders"], "object");
      assert.equal(record["responseBody"], '{"result":"told"}');
      assert.equal(typeof record["responseHeaders"], "object");
      assert.deepEqual([record["responseStatus"], record["maxRetries"]], [200, 1]);
    },
    "cursor and runs": async () => {
      const first = await page("");
      assert.equal((first["runs"] as Item[]).length, 2);
      const second = await page(encodeURIComponent(first["cursor"] as string));
      assert.equal((second["runs"] as Item[]).length, 1);
      assert.equal(second["cursor"], "");
    },
  });
});

function stepsOf(run: Item): Item[] {
  return (run["steps"] as Item[]).flatMap((group) => group["steps"] as Item[]);
}

const STEP = ["Run", "step", "STEP_SUCCESS"];
const HEADERS = {
  "Upstash-Workflow-RunId": "rows-parent",
  "Upstash-Retries": "2",
  "Upstash-Label": "red,blue",
  "Upstash-Flow-Control-Key": "rows-key",
  "Upstash-Flow-Control-Value": "parallelism=50",
};
