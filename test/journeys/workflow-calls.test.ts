/** Workflows that call third parties and other workflows, with the public SDK as it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorkflow } from "@upstash/workflow/cloudflare";
import { serve as serveOld } from "upstash-workflow-0-2";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("calling workflows", {}, (journey) => {
  test("a call is made by the service, and its answer brought back", async () => {
    const { endpoint, destination } = journey;
    const got: unknown[] = [];
    destination.respond = () => ({
      status: 201,
      headers: { "get-header": "yes", "content-type": "application/json" },
      body: '{"n":1}',
    });
    const url = journey.serve("/calls", async (context) => {
      const { status, body, header } = await context.call<{ n: number }>("call", {
        url: `${destination.url}/third-party?x=1`,
        method: "PUT",
        body: '{"asked":true}',
        headers: { "X-Call": "mine" },
      });
      await context.run("after", () => got.push(status, body, header["Get-Header"]));
    });
    await journey.run(url, "success", { headers: { "X-User": "me" } });
    assert.deepEqual(got, [201, { n: 1 }, ["yes"]]);
    const [request] = destination.to("/third-party");
    assert.equal(request?.method, "PUT");
    assert.equal(request?.body.toString(), '{"asked":true}');
    assert.equal(request?.headers["x-call"], "mine");
    assert.equal(request?.headers["x-user"], undefined);
    assert.equal(request?.headers["upstash-workflow-runid"], undefined);
    // The start, the call's result, the step of it, and the step after.
    assert.equal(endpoint.to("/calls").length, 4);
    const callback = endpoint.to("/calls")[1];
    assert.equal(callback?.headers["upstash-workflow-callback"], "true");
    assert.equal(callback?.headers["upstash-workflow-sdk-version"], undefined);
    assert.equal(callback?.headers["x-user"], "me");
  });

  test("a call that fails to the last is a value, told once", async () => {
    const { endpoint, destination, service } = journey;
    const got: unknown[] = [];
    destination.respond = () => ({ status: 418, body: "teapot" });
    const url = journey.serve("/call-fails", async (context) => {
      const { status, body } = await context.call("call", {
        url: `${destination.url}/fails`,
        retries: 1,
        retryDelay: "10",
      });
      const gone = await context.call("gone", { url: "http://127.0.0.1:1/" });
      await context.run("after", () => got.push(status, body, gone.status));
    });
    await journey.run(url, "success");
    assert.deepEqual(got, [418, "teapot", 0]);
    assert.equal(destination.to("/fails").length, 2);
    assert.equal(endpoint.to("/call-fails").length, 6);
    assert.deepEqual(await service.select("SELECT message_id FROM dead_letters"), []);
  });

  test("calls side by side are joined", async () => {
    const { destination } = journey;
    const got: unknown[] = [];
    destination.respond = ({ url }) => ({ body: url });
    const url = journey.serve("/side-by-side", async (context) => {
      const answers = await Promise.all(
        ["a", "b", "c"].map((name) =>
          context.call<string>(name, { url: `${destination.url}/side-${name}` }),
        ),
      );
      await context.run("after", () => got.push(answers.map(({ body }) => body)));
    });
    await journey.run(url, "success");
    assert.deepEqual(got, [["/side-a", "/side-b", "/side-c"]]);
  });

  test("an invoked run's result, failure and cancellation come back", async () => {
    const got: unknown[] = [];
    const child = createWorkflow<{ end: string }, string>(async (context) => {
      const { end } = context.requestPayload;
      await context.run("one", () => {
        if (end === "fail") throw new Error("on purpose");
      });
      if (end === "cancel") await context.cancel();
      return `ended with ${context.headers.get("x-child")}`;
    });
    const parent = createWorkflow(async (context) => {
      for (const end of ["well", "fail", "cancel"]) {
        const { body, isFailed, isCanceled } = await context.invoke(end, {
          workflow: child,
          body: { end },
          headers: { "X-Child": "header" },
          retries: 0,
        });
        await context.run(`after ${end}`, () => got.push([body, isFailed, isCanceled]));
      }
    });
    await journey.run(journey.serveMany("/many", { parent, child }), "success");
    assert.deepEqual(got, [
      ["ended with header", false, false],
      [undefined, true, false],
      [undefined, false, true],
    ]);
  });

  test("invoked side by side, and the parent goes on when all have ended", async () => {
    const got: unknown[] = [];
    const child = createWorkflow<number, number>(async (context) => {
      await context.sleep("a moment", 1);
      return context.requestPayload * 10;
    });
    const parent = createWorkflow(async (context) => {
      const ended = await Promise.all(
        [1, 2, 3].map((n) => context.invoke(`child ${n}`, { workflow: child, body: n })),
      );
      await context.run("sum", () => got.push(ended.map(({ body }) => body)));
    });
    await journey.run(journey.serveMany("/beside", { parent, child }), "success");
    assert.deepEqual(got, [[10, 20, 30]]);
  });

  test("a workflow cancels itself", async () => {
    const { endpoint, service } = journey;
    const url = journey.serve("/cancels", async (context) => {
      await context.run("one", () => 1);
      await context.cancel();
    });
    const workflowRunId = await journey.run(url, "canceled");
    assert.equal(endpoint.to("/cancels").length, 2);
    const letters = await service.select(
      `SELECT message_id FROM dead_letters WHERE run_id = '${workflowRunId}'`,
    );
    assert.deepEqual(letters, []);
  });

  test("an endpoint of the 0.2 line calls, waits and is notified", async () => {
    const { endpoint, client, serveOptions, destination, service } = journey;
    const got: unknown[] = [];
    destination.respond = () => ({ body: "called" });
    const { handler } = serveOld(async (context) => {
      const { body } = await context.call("call", { url: `${destination.url}/old` });
      const { eventData } = await context.waitForEvent("wait", "old-event", { timeout: "1h" });
      await context.run("after", () => got.push(body, eventData, context.headers.get("x-own")));
    }, serveOptions as never);
    const url = endpoint.serve("/old-calls", handler);
    const { workflowRunId } = await client.trigger({ url, headers: { "X-Own": "yes" } });
    const path = `/v2/notify/${workflowRunId}/old-event`;
    await service.call("POST", path, { body: '"told"' });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["called", "told", "yes"]);
  });
});
