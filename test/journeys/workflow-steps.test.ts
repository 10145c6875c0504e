/** The public workflow SDK, unmodified, as client and as endpoint: what comes of the steps of a run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "@upstash/workflow";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("workflow steps", {}, (journey) => {
  test("two steps take three calls, and the result is kept", async () => {
    const { endpoint } = journey;
    const seen: unknown[] = [];
    const url = journey.serve<{ name: string }>("/two-steps", async (context) => {
      const one = await context.run("one", () => `hello ${context.requestPayload.name}`);
      const two = await context.run("two", () => `${one}!`);
      seen.push(two, context.headers.get("x-own"), context.workflowRunId);
      return { two };
    });
    const workflowRunId = await journey.run(url, "success", {
      body: { name: "you" },
      headers: { "X-Own": "yes" },
      label: "tagged",
    });
    assert.equal(endpoint.to("/two-steps").length, 3);
    assert.deepEqual(seen.slice(-3), ["hello you!", "yes", workflowRunId]);
    const [first] = endpoint.to("/two-steps");
    assert.equal(first?.headers["upstash-workflow-runid"], workflowRunId);
    assert.equal(first?.headers["upstash-workflow-sdk-version"], "1");
    assert.equal(first?.headers["upstash-workflow-url"], url);
    assert.equal(first?.headers["upstash-label"], "tagged");
    assert.equal(first?.headers["upstash-retried"], "0");
    assert.match(first?.headers["upstash-workflow-createdat"] ?? "", /^\d{13}$/);
    assert.deepEqual(await journey.result(workflowRunId), { two: "hello you!" });
  });

  test("a run sleeps as long as it says, and goes on", async () => {
    const { endpoint } = journey;
    const startedAt = Date.now();
    let wokenAt = 0;
    const url = journey.serve("/sleep", async (context) => {
      await context.sleep("short", 1);
      await context.sleepUntil("a moment", new Date(Date.now() + 900));
      await context.run("after", () => void (wokenAt = Date.now()));
    });
    await journey.run(url, "success");
    assert.equal(endpoint.to("/sleep").length, 4);
    assert.ok(wokenAt >= startedAt + 1_000, `it went on after ${wokenAt - startedAt} ms`);
  });

  test("a sleep until a fraction of a second does not end before it", async () => {
    // The SDK rounds the header to whole seconds, here down.
    const until = Math.floor(Date.now() / 1_000) + 2.4;
    let wokenAt = 0;
    const url = journey.serve("/fraction", async (context) => {
      await context.sleepUntil("fraction", until);
      await context.run("after", () => void (wokenAt = Date.now()));
    });
    await journey.run(url, "success");
    assert.ok(wokenAt >= until * 1_000, `it ended ${until * 1_000 - wokenAt} ms early`);
  });

  test("steps side by side are joined once", async () => {
    const { endpoint } = journey;
    const joined: unknown[] = [];
    const url = journey.serve("/parallel", async (context) => {
      const all = await Promise.all([
        context.run("a", () => 1),
        context.run("b", () => 2),
        context.sleep("c", 1),
      ]);
      const sum = await context.run("sum", () => all[0] + all[1]);
      joined.push(sum);
    });
    await journey.run(url, "success");
    // One start, a plan for each, a result of each, and the step after them.
    assert.equal(endpoint.to("/parallel").length, 8);
    assert.deepEqual(joined, [3]);
  });

  test("a plain request to the endpoint starts a run of its own", async () => {
    const { service, endpoint } = journey;
    const done: string[] = [];
    const url = journey.serve<string>("/plain", async (context) => {
      await context.run("one", () => context.requestPayload);
      done.push(context.workflowRunId);
    });
    await service.publish(url, { "Upstash-Forward-X-Own": "yes" }, "payload");
    await endpoint.until(() => done.length === 1);
    await journey.phase(done[0]!, "success");
    assert.equal(endpoint.to("/plain").length, 3);
  });

  test("a run under a flow-control key runs one delivery at a time", async () => {
    const { endpoint, serveOptions } = journey;
    let underWay = 0;
    let most = 0;
    const { handler } = serve(async (context) => {
      await Promise.all(["a", "b", "c"].map((name) => context.run(name, () => undefined)));
    }, serveOptions);
    const url = endpoint.serve("/keyed", async (request) => {
      most = Math.max(most, ++underWay);
      const answer = await handler(request);
      underWay -= 1;
      return answer;
    });
    await journey.run(url, "success", { flowControl: { key: "one-by-one", parallelism: 1 } });
    assert.equal(most, 1);
    assert.equal(endpoint.to("/keyed").length, 7);
  });

  test("an endpoint of unknown make is asked once more, in its own words", async () => {
    const { endpoint, service } = journey;
    const seen: unknown[] = [];
    const url = journey.serve<string>("/unknown", async (context) => {
      await context.run("one", () => 1);
      seen.push(context.requestPayload, context.headers.get("x-own"));
    });
    const headers = { "Upstash-Workflow-Unknown-Sdk": "true", "Upstash-Forward-X-Own": "yes" };
    await journey.phase(await service.trigger(url, headers, "payload"), "success");
    assert.deepEqual(seen, ["payload", "yes"]);
    assert.equal(endpoint.to("/unknown").length, 3);
  });

  test("a run too large to be sent is fetched by its endpoint", async () => {
    const { endpoint } = journey;
    const sizes: number[] = [];
    const url = journey.serve("/large", async (context) => {
      const large = await context.run("large", () => "x".repeat(3_000_000));
      const size = await context.run("size", () => large.length);
      sizes.push(size);
    });
    await journey.run(url, "success");
    assert.deepEqual(sizes, [3_000_000]);
    assert.deepEqual(
      endpoint.to("/large").map(({ body }) => body.byteLength > 0),
      [true, false, false],
    );
  });
});
