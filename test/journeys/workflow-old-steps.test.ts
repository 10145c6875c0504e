/** Every kind of step of the older line of the public SDK, in one run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "upstash-workflow-0-2";
import { createWorkflow, serveMany } from "upstash-workflow-0-2/cloudflare";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("steps of @upstash/workflow 0.2", {}, (journey) => {
  test("a run of every kind of step comes to its end", async () => {
    const { service, destination, endpoint, serveOptions } = journey;
    const client = new Client({ baseUrl: service.url, token: service.token });
    destination.respond = () => ({
      headers: { "content-type": "application/json" },
      body: '{"outside":true}',
    });
    let hookUrl = "";
    const child = createWorkflow(async (context) => {
      const { eventData } = await context.waitForEvent("hear", "old-told", { timeout: 3_600 });
      return context.run("double", () => (eventData as number) * 2);
    });
    const parent = createWorkflow(async (context) => {
      const one = await context.run("one", () => 1);
      const [two, three] = await Promise.all([
        context.run("two", () => 2),
        context.run("three", () => 3),
      ]);
      await context.sleep("rest", 1);
      await context.sleepUntil("until", Date.now() / 1_000);
      const { status, body } = await context.call("ask", { url: `${destination.url}/outside` });
      const webhook = await context.createWebhook("hook");
      await context.run("give it out", () => {
        hookUrl = webhook.webhookUrl;
      });
      const hooked = await context.waitForWebhook("hooked", webhook, "1h");
      const said = hooked.timeout ? "late" : await hooked.request.text();
      const [invoked] = await Promise.all([
        context.invoke("child", { workflow: child, body: {} }),
        context.waitForEvent("is it there", "old-there", { timeout: 3_600 }),
      ]);
      await context.notify("nobody hears", "old-nobody", 1);
      return [one, two, three, status, body, said, invoked.body];
    });
    const many = serveMany({ parent, child }, serveOptions);
    const handler = (request: Request): Promise<Response> => many.fetch(request, {});
    endpoint.serve("/old-steps/child", handler);
    const url = endpoint.serve("/old-steps/parent", handler);
    const { workflowRunId } = await client.trigger({ url });
    await endpoint.until(() => hookUrl !== "");
    const call = await fetch(hookUrl, { method: "POST", body: "hooked" });
    assert.equal(call.status, 200);
    for (const [eventId, eventData] of [
      ["old-told", 21],
      ["old-there", "yes"],
    ] as const) {
      await journey.waiters(eventId, 1);
      await client.notify({ eventId, eventData });
    }
    await journey.phase(workflowRunId, "success");
    const { runs } = await client.logs({ workflowRunId });
    assert.equal(runs[0]?.workflowState, "RUN_SUCCESS");
    const expected = [1, 2, 3, 200, { outside: true }, "hooked", 42];
    assert.deepEqual(JSON.parse(String(runs[0].workflowRunResponse)), expected);
  });
});
