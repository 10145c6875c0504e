/** Workflows that wait for events and webhooks, with the public SDK as it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "@upstash/workflow";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("waiting workflows", {}, (journey) => {
  /** Resolves once so many wait for the event. */
  async function waiters(eventId: string, count: number): Promise<Item[]> {
    return eventually(async () => {
      const { text } = await journey.service.call("GET", `/v2/waiters/${eventId}`);
      const found = JSON.parse(text) as Item[];
      return found.length === count ? found : null;
    }, `${count} waiters for ${eventId}`);
  }

  test("an event resumes every run that waits for it, with its data", async () => {
    const { endpoint, client, serveOptions } = journey;
    const got: unknown[] = [];
    const { handler } = serve(async (context) => {
      const { eventData, timeout } = await context.waitForEvent("wait", "order done", {
        timeout: "1h",
      });
      await context.run("after", () => got.push([eventData, timeout]));
    }, serveOptions);
    const url = endpoint.serve("/waits", handler);
    const runs = await client.trigger([{ url }, { url }]);
    const [waiter] = await waiters("order%20done", 2);
    assert.equal(waiter?.["url"], url);
    assert.equal(String(waiter?.["deadline"]).length, 10);
    const told = await client.notify({ eventId: "order done", eventData: { n: 1 } });
    assert.equal(told.length, 2);
    for (const { workflowRunId } of runs) await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, [
      [{ n: 1 }, false],
      [{ n: 1 }, false],
    ]);
    assert.equal(endpoint.to("/waits").length, 6);
    await waiters("order%20done", 0);
    assert.deepEqual(await client.notify({ eventId: "order done", eventData: "late" }), []);
  });

  test("a wait ends without the event when its time is over", async () => {
    const { endpoint, client, serveOptions } = journey;
    const got: unknown[] = [];
    const { handler } = serve(async (context) => {
      const waited = await context.waitForEvent("wait", "never", { timeout: "1s" });
      got.push(waited.timeout, waited.eventData);
    }, serveOptions);
    const url = endpoint.serve("/times-out", handler);
    const { workflowRunId } = await client.trigger({ url });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, [true, undefined]);
    assert.equal(endpoint.to("/times-out").length, 2);
  });

  test("events for one run are kept until it waits for them, oldest first", async () => {
    const { endpoint, client, serveOptions, service } = journey;
    const got: unknown[] = [];
    const { handler } = serve(async (context) => {
      await context.sleep("later", 1);
      const one = await context.waitForEvent("one", "kept", { timeout: "1h" });
      const two = await context.waitForEvent("two", "kept", { timeout: "1h" });
      got.push(one.eventData, two.eventData);
    }, serveOptions);
    const url = endpoint.serve("/kept", handler);
    const { workflowRunId } = await client.trigger({ url });
    for (const data of ["first", "second"]) {
      const { status, text } = await service.call("POST", `/v2/notify/${workflowRunId}/kept`, {
        body: data,
      });
      assert.deepEqual([status, text], [200, "[]"]);
    }
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["first", "second"]);
    const gone = await service.call("POST", `/v2/notify/${workflowRunId}/kept`, { body: "late" });
    assert.equal(gone.status, 404);
  });

  test("waits side by side with other steps", async () => {
    const { endpoint, client, serveOptions } = journey;
    const got: unknown[] = [];
    const { handler } = serve(async (context) => {
      const [waited, ran] = await Promise.all([
        context.waitForEvent("wait", "beside", { timeout: "1h" }),
        context.run("ran", () => 2),
      ]);
      await context.run("after", () => got.push(waited.eventData, ran));
    }, serveOptions);
    const url = endpoint.serve("/beside", handler);
    const { workflowRunId } = await client.trigger({ url });
    await waiters("beside", 1);
    await client.notify({ eventId: "beside", eventData: "now" });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["now", 2]);
  });

  test("one run notifies another", async () => {
    const { endpoint, client, serveOptions } = journey;
    const waiting = serve(async (context) => {
      await context.waitForEvent("wait", "from another", { timeout: "1h" });
    }, serveOptions);
    const notifying = serve(async (context) => {
      const { notifyResponse } = await context.notify("tell", "from another", "data");
      await context.run("told", () => notifyResponse.length);
    }, serveOptions);
    const first = await client.trigger({ url: endpoint.serve("/waiting", waiting.handler) });
    await waiters("from%20another", 1);
    const second = await client.trigger({ url: endpoint.serve("/notifying", notifying.handler) });
    await journey.phase(first.workflowRunId, "success");
    await journey.phase(second.workflowRunId, "success");
  });

  test("a webhook needs no token, before or after the run waits for it", async () => {
    const { endpoint, client, serveOptions } = journey;
    const got: unknown[] = [];
    const urls: string[] = [];
    const { handler } = serve(async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => urls.push(webhook.webhookUrl));
      const first = await context.waitForWebhook("first", webhook, "1h");
      const second = await context.waitForWebhook("second", webhook, "1h");
      const { request } = second;
      got.push(first.timeout, request?.method, await request?.text(), request?.url);
    }, serveOptions);
    const url = endpoint.serve("/webhook", handler);
    const { workflowRunId } = await client.trigger({ url });
    await endpoint.until(() => urls.length === 1);
    for (const method of ["POST", "PUT"]) {
      const { ok } = await fetch(urls[0]!, { method, body: `called by ${method}` });
      assert.equal(ok, true);
    }
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, [false, "PUT", "called by PUT", urls[0]]);
    assert.equal((await fetch(urls[0]!, { method: "POST" })).status, 404);
    const nowhere = `${journey.service.url}/v2/workflows/hooks/nobody/wfr_x/evt_y`;
    assert.equal((await fetch(nowhere)).status, 404);
  });

  test("a malformed wait is refused, and never as the end of the run", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ headers: { "Svc-Workflow-Sdk-Version": "1" } });
    const headers = { "Svc-Workflow-RunId": "waits-badly" };
    // Its endpoint is not called yet: a run that gains nothing from its first delivery fails.
    await service.call("POST", `/v2/trigger/${destination.url}/waits-badly`, {
      headers: { ...headers, "Svc-Delay": "1h" },
    });
    const step = { stepId: 1, stepName: "w", stepType: "Wait", concurrent: 1 };
    const good = { url: `${destination.url}/waits-badly`, timeout: "1h", step };
    const bad: [object, string][] = [
      [{ ...good, url: 1 }, "event"],
      [{ ...good, url: "ftp://x" }, "event"],
      [{ ...good, timeout: "soon" }, "event"],
      [{ ...good, timeout: -1 }, "event"],
      [{ ...good, step: { ...step, stepId: 0 } }, "event"],
      [{ ...good, timeoutHeaders: { "Svc-Retries": "x" } }, "event"],
      [[], "event"],
      [good, "%00"],
    ];
    const before = await service.rowCount();
    for (const [body, eventId] of bad) {
      const call = { headers, body: JSON.stringify(body) };
      const { status, text } = await service.call("POST", `/v2/wait/${eventId}`, call);
      assert.equal(status, 422, `${JSON.stringify(body)} ${text}`);
    }
    assert.equal(await service.rowCount(), before);
    const long = { headers, body: JSON.stringify({ ...good, timeout: "9999d" }) };
    assert.equal((await service.call("POST", "/v2/wait/event", long)).status, 412);
    const ended = { headers: { "Svc-Workflow-RunId": "never was" }, body: JSON.stringify(good) };
    assert.equal((await service.call("POST", "/v2/wait/event", ended)).status, 422);
    ended.headers["Svc-Workflow-RunId"] = "never-was";
    assert.equal((await service.call("POST", "/v2/wait/event", ended)).status, 400);
  });
});
