/** Runs that are triggered without any header of ours, at endpoints of either SDK. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkflowNonRetryableError } from "@upstash/workflow";
import { NonRetryableError } from "../../sdk/src/sdk.ts";
import type { Received } from "../support/destination-server.ts";
import { verifyWithPublicReceivers } from "../support/public-receivers.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";
import { type EndpointJourney, workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("a trigger without a prefix, the public SDK", {}, (journey) => {
  test("every kind of step comes to its result, with signatures verified", async () => {
    const { service, destination, endpoint, client } = journey;
    destination.respond = () => ({ status: 201, body: '{"id":5}' });
    const seen: string[][] = [];
    const url = journey.serve<{ name: string }>("/every", async (context) => {
      const hello = await context.run("hello", () => `hello ${context.requestPayload.name}`);
      await context.sleep("rest", 1);
      const called = await context.call("call", { url: `${destination.url}/third` });
      const { eventData } = await context.waitForEvent("wait", "unnamed", { timeout: "1h" });
      seen.push([...context.headers.keys()].filter((name) => /workflow/.test(name)));
      return [hello, called.status, eventData];
    });
    const runId = await service.trigger(url, {}, '{"name":"Eva"}');
    await journey.waiters("unnamed", 1);
    await client.notify({ eventId: "unnamed", eventData: { a: 1 } });
    await journey.phase(runId, "success");
    assert.deepEqual(await journey.result(runId), ["hello Eva", 201, { a: 1 }]);
    assert.deepEqual(new Set(seen.flat()), new Set());
    await verifyFirst(journey, endpoint.to("/every")[0]!);
  });

  test("its failure function is called, in both dialects", async () => {
    const { service, endpoint } = journey;
    const heard: string[] = [];
    const url = journey.serve(
      "/fails",
      async (context) => {
        await context.run("fail", () => {
          throw new WorkflowNonRetryableError("no way");
        });
      },
      { failureFunction: async ({ failResponse }) => void heard.push(failResponse) },
    );
    const runId = await service.trigger(url, { "Content-Type": "text/plain" });
    await journey.phase(runId, "failed");
    await endpoint.until(() => heard.length === 1);
    assert.deepEqual(heard, ["no way"]);
    const report = endpoint.to("/fails").at(-1)!;
    assert.equal(report.headers["upstash-workflow-is-failure"], "true");
    assert.equal(report.headers["svc-workflow-is-failure"], "true");
    await verifyFirst(journey, report);
  });

  test("of several in one request each does so", async () => {
    const { service, endpoint } = journey;
    const url = journey.serve("/several", async (context) => context.run("one", () => 1));
    const body = JSON.stringify([{ destination: url }, { destination: url }]);
    for (const [headers, isBoth] of [
      [{}, true],
      [{ "Upstash-Telemetry-Sdk": "py" }, false],
    ] as const) {
      const answer = await service.call("POST", "/v2/batch/trigger", { headers, body });
      assert.equal(answer.status, 201, answer.text);
      const runs = answer.json as unknown as { workflowRunId: string }[];
      for (const { workflowRunId } of runs) {
        await journey.phase(workflowRunId, "success");
        const of = endpoint
          .to("/several")
          .filter((call) => call.headers["upstash-workflow-runid"] === workflowRunId);
        assert.equal("svc-signature" in of[0]!.headers, isBoth);
      }
    }
  });
});

sdkJourneys("a trigger without a prefix, our SDK", {}, (journey) => {
  test("every kind of step comes to its result, with signatures verified", async () => {
    const { service, destination, endpoint } = journey;
    destination.respond = () => ({ status: 201, body: '{"id":5}' });
    const child = journey.serve<string>("/child", async (context) =>
      context.run("work", () => `child of ${context.payload}`),
    );
    const url = journey.serve<{ name: string }>("/every", async (context) => {
      const { payload, headers } = context;
      const [hello] = await Promise.all([
        context.run("hello", () => `hello ${payload.name}`),
        context.sleep("rest", 1),
      ]);
      const called = await context.call("call", { url: `${destination.url}/third` });
      const { eventData } = await context.waitForEvent("wait", "unnamed", { timeout: "1h" });
      const { body } = await context.invoke("invoke", { url: child, body: "mine" });
      const own = [...headers.keys()].filter((name) => /^(svc-|upstash-)/.test(name));
      return [hello, called.status, eventData, body, own];
    });
    const runId = await service.trigger(url, {}, '{"name":"Eva"}');
    await journey.waiters("unnamed", 1);
    await journey.sdk.workflow.notify("unnamed", { a: 1 }, { workflowRunId: runId });
    await journey.phase(runId, "success");
    const result = ["hello Eva", 201, { a: 1 }, "child of mine", []];
    assert.deepEqual(await journey.result(runId), result);
    await verifyFirst(journey, endpoint.to("/every")[0]!);
  });

  test("steps that the endpoint replies stay in both", async () => {
    const { service, endpoint } = journey;
    const url = journey.serve("/replies", async (context) => {
      const one = await context.run("one", () => 1);
      return context.run("two", () => one + 1);
    });
    const runId = await service.trigger(url);
    await journey.phase(runId, "success");
    assert.equal(await journey.result(runId), 2);
    const calls = endpoint.to("/replies");
    assert.equal(calls.length, 3);
    for (const call of calls) await verifyFirst(journey, call);
  });

  test("its failure function is called", async () => {
    const { service, endpoint } = journey;
    const heard: unknown[] = [];
    const url = journey.serve(
      "/fails",
      async (context) => {
        await context.run("fail", () => {
          throw new NonRetryableError("no way");
        });
      },
      { onFailure: async ({ message, runId }) => void heard.push([message, runId]) },
    );
    const runId = await service.trigger(url);
    await journey.phase(runId, "failed");
    await endpoint.until(() => heard.length === 1);
    assert.deepEqual(heard, [["no way", runId]]);
  });

  test("a plain message starts a run in our own words", async () => {
    const { service, endpoint } = journey;
    const url = journey.serve(
      "/started",
      async (context) =>
        context.run("see", () =>
          [...context.headers.keys()].filter((name) => /^x-|-hop$/.test(name)),
        ),
      { url: `${endpoint.url}/started` },
    );
    await service.publish(url, {});
    await endpoint.until(() => endpoint.to("/started").some(isRun));
    const runId = endpoint.to("/started").find(isRun)!.headers["svc-workflow-runid"]!;
    await journey.phase(runId, "success");
    assert.deepEqual(await journey.result(runId), []);
    assert.equal(endpoint.to("/started").find(isRun)!.headers["upstash-signature"], undefined);
  });
});

const isRun = ({ headers }: Received): boolean => "svc-workflow-runid" in headers;

async function verifyFirst({ service, endpoint }: EndpointJourney, call: Received): Promise<void> {
  const { headers } = call;
  assert.equal(headers["svc-signature"], headers["upstash-signature"]);
  assert.equal(headers["svc-workflow-runid"], headers["upstash-workflow-runid"]);
  assert.equal(headers["user-agent"], "Postrider");
  await verifyWithPublicReceivers(call, endpoint.url, service.credentials);
}
