/** Endpoints that answer with what they would else submit, by hand and with our own SDK. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountIdIn } from "../../src/platform/token.ts";
import { freshAccount } from "../support/console-call.ts";
import { type SdkJourney, sdkJourneys } from "../support/sdk-journeys.ts";
import { until } from "../support/eventually.ts";

const SECRET = "a-result-that-nobody-may-see";

sdkJourneys("workflow replies", {}, (journey) => {
  test("each step is one call of the endpoint, and none of the service", async () => {
    const { submitted, client } = recording(journey);
    const url = journey.serve(
      "/replied",
      async (context) => {
        const one = await context.run("one", () => 1);
        const [two, three] = await Promise.all([
          context.run("two", () => one + 1),
          context.run("three", () => one + 2),
        ]);
        return context.run("sum", () => one + two + three);
      },
      { client },
    );
    const runId = await journey.run(url, "success");
    assert.equal(await journey.result(runId), 6);
    assert.deepEqual(submitted, []);
    // One, its plans, two plans, two results of which the last goes on, and the end.
    assert.equal(journey.endpoint.to("/replied").length, 7);
  });

  test("what takes long, is large or is to wait is submitted all the same", async () => {
    const { submitted, client } = recording(journey);
    const url = journey.serve(
      "/submitted",
      async (context) => {
        await context.run("long", () => new Promise((resolve) => setTimeout(resolve, 1_100)));
        await context.run("large", () => "x".repeat(50_000));
        await context.sleep("nap", "1s");
        return context.run("short", () => "done");
      },
      { client },
    );
    const runId = await journey.run(url, "success");
    assert.equal(await journey.result(runId), "done");
    assert.deepEqual(submitted, ["/v2/batch", "/v2/batch", "/v2/batch"]);
  });

  test("a reply that was cut off is tried again, and nothing of it is taken", async () => {
    let calls = 0;
    const step = JSON.stringify({ stepId: 1, stepName: "one", stepType: "Run", concurrent: 1 });
    const url = journey.endpoint.serve("/cut-off", async () => {
      calls += 1;
      if (calls === 1) return replied(JSON.stringify({ steps: [step] }).slice(0, -2));
      return calls === 2
        ? replied(JSON.stringify({ steps: [step] }))
        : replied('{"result":"\\"whole\\""}');
    });
    const runId = await journey.run(url, "success", { retryDelay: "100" });
    assert.equal(await journey.result(runId), "whole");
    assert.equal(calls, 3);
  });

  test("a reply that never makes sense fails the run, like any other answer", async () => {
    const url = journey.endpoint.serve("/nonsense", async () => replied("{}"));
    await journey.run(url, "failed", { retries: 0 });
    const { items } = await journey.sdk.workflow.logs({ workflowUrl: url });
    assert.match(JSON.stringify(items), /the reply cannot be read/);
  });

  test("a parent is told of the end that its child has replied with", async () => {
    const child = journey.serve("/child", (context) => context.run("work", () => "from the child"));
    const parent = journey.serve("/parent", async (context) => {
      const { body } = await context.invoke("child", { url: child });
      return context.run("after", () => body);
    });
    const runId = await journey.run(parent, "success");
    assert.equal(await journey.result(runId), "from the child");
  });

  test("a cancelled run takes nothing more from a reply", async () => {
    let goOn: (() => void) | undefined;
    const url = journey.serve("/cancelled", (context) =>
      context.run("slow", () => new Promise<void>((resolve) => (goOn = resolve))),
    );
    const { workflowRunId } = await journey.sdk.workflow.trigger({ url });
    await journey.endpoint.until(() => journey.endpoint.to("/cancelled").length === 1);
    await journey.sdk.workflow.cancel([workflowRunId]);
    goOn?.();
    await journey.endpoint.until(() => answersOf(journey, "/cancelled") === 1);
    await journey.phase(workflowRunId, "canceled");
    assert.equal(await journey.entries(workflowRunId), 1);
  });

  test("the next step of a paused account waits until the account is resumed", async () => {
    const { service, endpoint, sdk } = journey;
    const accountId = accountIdIn(service.token)!;
    const url = journey.serve("/paused", async (context) => {
      await context.run("pause", async () => {
        await service.console("POST", `/v2/svc/pause/${accountId}`);
      });
      return context.run("after", () => "done");
    });
    const { workflowRunId } = await sdk.workflow.trigger({ url });
    // The payload, and the result of the first step.
    await until(async () => (await journey.entries(workflowRunId)) === 2, "a step");
    const other = await freshAccount(service.url);
    endpoint.serve("/marker", async () => new Response());
    await other.publish(`${endpoint.url}/marker`);
    await endpoint.until(() => endpoint.to("/marker").length === 1);
    assert.equal(endpoint.to("/paused").length, 1);
    await service.console("POST", `/v2/svc/resume/${accountId}`);
    await journey.phase(workflowRunId, "success");
  });

  test("what was replied is kept as the step, and not again with the attempt", async () => {
    const url = journey.serve("/hidden", async (context) => {
      await context.run("secret", () => SECRET);
      return SECRET;
    });
    const runId = await journey.run(url, "success", { redact: { body: true } });
    await until(async () => {
      const rows = await journey.service.select("SELECT body FROM log_entries");
      const bodies = rows.map(({ body }) => Buffer.from((body as Uint8Array | null) ?? []));
      assert.ok(bodies.every((body) => !body.includes(SECRET)));
      return rows.length > 0;
    }, "the log");
    assert.equal(await journey.result(runId), SECRET);
  });
});

function replied(body: string): Response {
  const headers = {
    "Svc-Workflow-Sdk-Version": "1",
    "Svc-Workflow-Sdk": "v1",
    "Svc-Workflow-Reply": "1",
  };
  return new Response(body, { headers });
}

/** The way of an endpoint to the service, and the paths of all that it asks for there. */
function recording({ service }: SdkJourney) {
  const submitted: string[] = [];
  const { url: baseUrl, token } = service;
  const recorded: typeof fetch = (input, init) => {
    submitted.push(new URL(input instanceof Request ? input.url : input).pathname);
    return fetch(input, init);
  };
  return { submitted, client: { baseUrl, token, fetch: recorded } };
}

function answersOf({ endpoint }: SdkJourney, wanted: string): number {
  return endpoint.answers.filter(({ path }) => path === wanted).length;
}
