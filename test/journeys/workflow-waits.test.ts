/** Workflows that wait for events and webhooks, with the public SDK as it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("waiting workflows", {}, (journey) => {
  test("an event resumes every run that waits for it, with its data", async () => {
    const { endpoint, client } = journey;
    const got: unknown[] = [];
    const url = journey.serve("/waits", async (context) => {
      const { eventData, timeout } = await context.waitForEvent("wait", "order done", {
        timeout: "1h",
      });
      await context.run("after", () => got.push([eventData, timeout]));
    });
    const runs = await client.trigger([{ url }, { url }]);
    const [waiter] = await journey.waiters("order done", 2);
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
    await journey.waiters("order done", 0);
    assert.deepEqual(await client.notify({ eventId: "order done", eventData: "late" }), []);
  });

  test("a wait ends without the event when its time is over", async () => {
    const { endpoint } = journey;
    const got: unknown[] = [];
    const url = journey.serve("/times-out", async (context) => {
      const waited = await context.waitForEvent("wait", "never", { timeout: "1s" });
      got.push(waited.timeout, waited.eventData);
    });
    await journey.run(url, "success");
    assert.deepEqual(got, [true, undefined]);
    assert.equal(endpoint.to("/times-out").length, 2);
  });

  test("a wait of no length is shown with it", async () => {
    const url = journey.serve("/waits-not", (context) =>
      context.waitForEvent("wait", "never", { timeout: "0s" }),
    );
    await journey.run(url, "success");
    const { text } = await journey.service.call("GET", "/v2/workflows/logs?workflowUrl=" + url);
    assert.match(text, /"waitTimeoutDuration":"0s"/);
  });

  test("events for one run are kept until it waits for them, oldest first", async () => {
    const { client, service } = journey;
    const got: unknown[] = [];
    const url = journey.serve("/kept", async (context) => {
      await context.sleep("later", 1);
      const one = await context.waitForEvent("one", "kept", { timeout: "1h" });
      const two = await context.waitForEvent("two", "kept", { timeout: "1h" });
      got.push(one.eventData, two.eventData);
    });
    const { workflowRunId } = await client.trigger({ url });
    const notify = (body: string) =>
      service.call("POST", `/v2/notify/${workflowRunId}/kept`, { body });
    for (const data of ["first", "second"]) {
      const { status, text } = await notify(data);
      assert.deepEqual([status, text], [200, "[]"]);
    }
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["first", "second"]);
    assert.equal((await notify("late")).status, 404);
  });

  test("a run waits for an event beside its other steps", async () => {
    const { client } = journey;
    const got: unknown[] = [];
    const url = journey.serve("/beside", async (context) => {
      const [waited, ran] = await Promise.all([
        context.waitForEvent("wait", "beside", { timeout: "1h" }),
        context.run("ran", () => 2),
      ]);
      await context.run("after", () => got.push(waited.eventData, ran));
    });
    const { workflowRunId } = await client.trigger({ url });
    await journey.waiters("beside", 1);
    await client.notify({ eventId: "beside", eventData: "now" });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["now", 2]);
  });

  test("one run notifies another", async () => {
    const waiting = journey.serve("/waiting", async (context) => {
      await context.waitForEvent("wait", "from another", { timeout: "1h" });
    });
    const notifying = journey.serve("/notifying", async (context) => {
      const { notifyResponse } = await context.notify("tell", "from another", "data");
      return context.run("told", () => notifyResponse.length);
    });
    const { workflowRunId } = await journey.client.trigger({ url: waiting });
    await journey.waiters("from another", 1);
    const notifier = await journey.run(notifying, "success");
    await journey.phase(workflowRunId, "success");
    assert.equal(await journey.result(notifier), 1);
  });

  test("a webhook needs no token, before or after the run waits for it", async () => {
    const { endpoint, client } = journey;
    const got: unknown[] = [];
    const urls: string[] = [];
    const url = journey.serve("/webhook", async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => urls.push(webhook.webhookUrl));
      const first = await context.waitForWebhook("first", webhook, "1h");
      const second = await context.waitForWebhook("second", webhook, "1h");
      const { request } = second;
      got.push(first.timeout, request?.method, await request?.text(), request?.url);
    });
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
    await service.trigger(`${destination.url}/waits-badly`, { ...headers, "Svc-Delay": "1h" });
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
    const wait = async (eventId: string, body: object, runId = "waits-badly") =>
      service.status("POST", `/v2/wait/${eventId}`, {
        headers: { "Svc-Workflow-RunId": runId },
        body: JSON.stringify(body),
      });
    for (const [body, eventId] of bad) {
      assert.equal(await wait(eventId, body), 422, JSON.stringify(body));
    }
    assert.equal(await service.rowCount(), before);
    assert.equal(await wait("event", { ...good, timeout: "9999d" }), 412);
    assert.equal(await wait("event", good, "never was"), 422);
    assert.equal(await wait("event", good, "never-was"), 400);
  });
});
