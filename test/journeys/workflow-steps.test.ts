/** The public workflow SDK, unmodified, as client and as endpoint: steps, sleeps, steps side by side. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "@upstash/workflow";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("workflow steps", {}, (journey) => {
  test("two steps take three calls, and the result is kept", async () => {
    const { endpoint, client, serveOptions } = journey;
    const seen: unknown[] = [];
    const { handler } = serve<{ name: string }>(async (context) => {
      const one = await context.run("one", () => `hello ${context.requestPayload.name}`);
      const two = await context.run("two", () => `${one}!`);
      seen.push(two, context.headers.get("x-own"), context.workflowRunId);
      return { two };
    }, serveOptions);
    const url = endpoint.serve("/two-steps", handler);
    const { workflowRunId } = await client.trigger({
      url,
      body: { name: "you" },
      headers: { "X-Own": "yes" },
      label: "tagged",
    });
    await journey.phase(workflowRunId, "success");
    assert.equal(endpoint.to("/two-steps").length, 3);
    assert.deepEqual(seen.slice(-3), ["hello you!", "yes", workflowRunId]);
    const [first] = endpoint.to("/two-steps");
    assert.equal(first?.headers["upstash-workflow-runid"], workflowRunId);
    assert.equal(first?.headers["upstash-workflow-sdk-version"], "1");
    assert.equal(first?.headers["upstash-workflow-url"], url);
    assert.equal(first?.headers["upstash-label"], "tagged");
    assert.equal(first?.headers["upstash-retried"], "0");
    assert.match(first?.headers["upstash-workflow-createdat"] ?? "", /^\d{13}$/);
    const [row] = await journey.service.select(
      `SELECT response FROM run_facts WHERE run_id = '${workflowRunId}'`,
    );
    assert.equal(Buffer.from(row?.["response"] as Uint8Array).toString(), '{"two":"hello you!"}');
  });

  test("sleeps, and goes on", async () => {
    const { endpoint, client, serveOptions } = journey;
    const { handler } = serve(async (context) => {
      await context.sleep("short", 1);
      await context.sleepUntil("a moment", new Date(Date.now() + 900));
      await context.run("after", () => "done");
    }, serveOptions);
    const url = endpoint.serve("/sleep", handler);
    const { workflowRunId } = await client.trigger({ url });
    await journey.phase(workflowRunId, "success");
    assert.equal(endpoint.to("/sleep").length, 4);
  });

  test("a sleep until a fraction of a second does not end before it", async () => {
    const { endpoint, client, serveOptions } = journey;
    // The SDK rounds the header to whole seconds, here down.
    const until = Math.floor(Date.now() / 1_000) + 2.4;
    let wokenAt = 0;
    const { handler } = serve(async (context) => {
      await context.sleepUntil("fraction", until);
      await context.run("after", () => void (wokenAt = Date.now()));
    }, serveOptions);
    const url = endpoint.serve("/fraction", handler);
    const { workflowRunId } = await client.trigger({ url });
    await journey.phase(workflowRunId, "success");
    assert.ok(wokenAt >= until * 1_000, `it ended ${until * 1_000 - wokenAt} ms early`);
  });

  test("steps side by side are joined once", async () => {
    const { endpoint, client, serveOptions } = journey;
    const joined: unknown[] = [];
    const { handler } = serve(async (context) => {
      const all = await Promise.all([
        context.run("a", () => 1),
        context.run("b", () => 2),
        context.sleep("c", 1),
      ]);
      const sum = await context.run("sum", () => all[0] + all[1]);
      joined.push(sum);
    }, serveOptions);
    const url = endpoint.serve("/parallel", handler);
    const { workflowRunId } = await client.trigger({ url });
    await journey.phase(workflowRunId, "success");
    // One start, a plan for each, a result of each, and the step after them.
    assert.equal(endpoint.to("/parallel").length, 8);
    assert.deepEqual(joined, [3]);
  });

  test("a plain request to the endpoint starts a run of its own", async () => {
    const { service, endpoint, serveOptions } = journey;
    const done: string[] = [];
    const { handler } = serve<string>(async (context) => {
      await context.run("one", () => context.requestPayload);
      done.push(context.workflowRunId);
    }, serveOptions);
    const url = endpoint.serve("/plain", handler);
    await service.publish(url, { "Upstash-Forward-X-Own": "yes" }, "payload");
    await endpoint.until(() => done.length === 1);
    await journey.phase(done[0]!, "success");
    assert.equal(endpoint.to("/plain").length, 3);
  });
});
