/** Workflows written with our own SDK that wait for others: calls, events, webhooks, invoked runs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createWorkflow,
  NotFoundError,
  Receiver,
  serveMany,
  type Webhook,
} from "../../sdk/src/sdk.ts";
import { textOf } from "../support/destination-server.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

sdkJourneys("waiting workflows of the SDK", {}, (journey) => {
  test("a call's answer is a result, good or bad, and its retries are its own", async () => {
    const { destination, endpoint } = journey;
    destination.respond = ({ url }, nth) => {
      if (url === "/good") return { status: 201, body: '{"id":5}', headers: { "X-Own": "v" } };
      if (url === "/flaky" && nth > 1) return { body: "at last" };
      return { status: 404, body: "nö" };
    };
    const url = journey.serve("/calls", async (context) => {
      const good = await context.call<{ id: number }>("gut ü %", {
        url: `${destination.url}/good`,
        method: "PUT",
        body: { a: 1 },
        headers: { "X-Sent": "yes" },
      });
      const [bad, flaky] = await Promise.all([
        context.call("bad", { url: `${destination.url}/bad` }),
        context.call("flaky", { url: `${destination.url}/flaky`, retries: 1, retryDelay: "1" }),
      ]);
      const own = good.header["X-Own"];
      return [good.status, good.body.id, own, bad.status, bad.body, flaky.status, flaky.body];
    });
    const runId = await journey.run(url, "success", { headers: { "X-User": "eva" } });
    assert.deepEqual(await journey.result(runId), [201, 5, ["v"], 404, "nö", 200, "at last"]);
    const [request] = destination.to("/good");
    assert.deepEqual([request?.method, textOf(request)], ["PUT", '{"a":1}']);
    assert.equal(request?.headers["x-sent"], "yes");
    assert.equal(request?.headers["x-user"], undefined);
    // To call; the callback; its result plans two; two plans, two callbacks, two results.
    assert.equal(endpoint.to("/calls").length, 9);
  });

  test("a call to a closed port is a result too", async () => {
    const url = journey.serve("/nobody", async (context) => {
      const { status } = await context.call("nobody", { url: "http://127.0.0.1:1/" });
      return status;
    });
    const runId = await journey.run(url, "success");
    assert.equal(await journey.result(runId), 0);
  });

  test("without keys the result of a call passes the function's own check", async () => {
    journey.destination.respond = () => ({ status: 201 });
    const url = journey.serve(
      "/unsigned",
      async (context) => {
        if (context.headers.get("authorization") !== "Bearer friend") return "no entry";
        return (await context.call("ask", { url: `${journey.destination.url}/good` })).status;
      },
      { receiver: false },
    );
    const trigger = { headers: { Authorization: "Bearer friend" } };
    const runId = await journey.run(url, "success", trigger);
    assert.equal(await journey.result(runId), 201);
  });

  test("a wait ends with an event or with its time, and waiters are shown", async () => {
    const { sdk } = journey;
    const url = journey.serve("/waits", async (context) => {
      const { eventData, timeout } = await context.waitForEvent<{ by: string }>(
        "packed",
        "packed/1",
        {
          timeout: "1h",
        },
      );
      const late = await context.waitForEvent("never", "never", { timeout: 1 });
      return [eventData, timeout, late];
    });
    const { workflowRunId } = await sdk.workflow.trigger({ url });
    await journey.waiters("packed/1", 1);
    const [waiter] = await sdk.workflow.waiters("packed/1");
    assert.equal(waiter?.url, url);
    const [notified] = await sdk.workflow.notify("packed/1", { by: "Eva" });
    assert.equal(notified?.workflowRunId, workflowRunId);
    assert.deepEqual(await sdk.workflow.notify("packed/1", "again"), []);
    await journey.phase(workflowRunId, "success");
    const expected = [{ by: "Eva" }, false, { timeout: true }];
    assert.deepEqual(await journey.result(workflowRunId), expected);
  });

  test("what a run is told before it waits is kept for it, in its order", async () => {
    const { sdk } = journey;
    const url = journey.serve("/told", async (context) => {
      const told = [];
      for (const name of ["one", "two", "three"]) {
        told.push((await context.waitForEvent(name, "told", { timeout: "1h" })).eventData ?? null);
      }
      return told;
    });
    const { workflowRunId } = await sdk.workflow.trigger({ url, delay: 1 });
    for (const data of ["first", undefined, { n: 3 }]) {
      await sdk.workflow.notify("told", data, { workflowRunId });
    }
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(await journey.result(workflowRunId), ["first", null, { n: 3 }]);
  });

  test("a step notifies another run", async () => {
    const sleeper = journey.serve("/sleeper", async (context) => {
      return (await context.waitForEvent("woken", "alarm", { timeout: "1h" })).eventData;
    });
    const { workflowRunId } = await journey.sdk.workflow.trigger({ url: sleeper });
    const waker = journey.serve("/waker", async (context) => {
      const { eventId, eventData, notifyResponse } = await context.notify("wake", "alarm", [1]);
      return [eventId, eventData, notifyResponse.map((one) => one.workflowRunId)];
    });
    await journey.waiters("alarm", 1);
    const runId = await journey.run(waker, "success");
    assert.deepEqual(await journey.result(runId), ["alarm", [1], [workflowRunId]]);
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(await journey.result(workflowRunId), [1]);
  });

  test("a webhook needs no token, and the run gets the request", async () => {
    let hook: Webhook | undefined;
    const url = journey.serve("/hooks", async (context) => {
      const webhook = await context.createWebhook("hook");
      await context.run("give it away", () => void (hook = webhook));
      const { request } = await context.waitForWebhook("hooked", webhook, { timeout: "1h" });
      const late = await context.waitForWebhook("again", webhook, { timeout: 1 });
      return [
        request?.method,
        request?.headers.get("x-a"),
        await request?.text(),
        late.timeout,
        request?.url,
      ];
    });
    const { workflowRunId } = await journey.sdk.workflow.trigger({ url });
    await journey.endpoint.until(() => hook !== undefined);
    const called = { method: "PUT", body: "bödy", headers: { "X-A": "1" } };
    assert.ok((await fetch(`${hook!.webhookUrl}?q=1`, called)).ok);
    await journey.phase(workflowRunId, "success");
    const expected = ["PUT", "1", "bödy", true, `${hook!.webhookUrl}?q=1`];
    assert.deepEqual(await journey.result(workflowRunId), expected);
  });

  test("invoked runs give back results, failures and cancellations", async () => {
    const { service, endpoint } = journey;
    const { url: baseUrl, token, credentials } = service;
    const receiver = new Receiver(credentials);
    const options = { client: { baseUrl, token }, receiver, logger: false as const };
    const child = createWorkflow<string>(async (context) => {
      if (context.payload === "cancel") await context.cancel();
      const fails = context.payload === "fail";
      return context.run("work", () =>
        fails ? Promise.reject(new Error("no")) : [context.payload],
      );
    }, options);
    const parent = createWorkflow(async (context) => {
      const results = await Promise.all(
        ["good", "fail", "cancel"].map((body) =>
          context.invoke(body, { workflow: child, body, retries: 0 }),
        ),
      );
      return [...results, await context.invoke("once more", { workflow: child, body: "more" })];
    }, options);
    const handler = serveMany({ parent, child });
    endpoint.serve("/flows/child", handler);
    const url = endpoint.serve("/flows/parent", handler);
    const runId = await journey.run(url, "success");
    assert.deepEqual(await journey.result(runId), [
      { body: ["good"], isCanceled: false, isFailed: false },
      { isCanceled: false, isFailed: true },
      { isCanceled: true, isFailed: false },
      { body: ["more"], isCanceled: false, isFailed: false },
    ]);
  });

  test("many runs are cancelled at once", async () => {
    const { sdk } = journey;
    const url = journey.serve("/many", (context) => context.waitForEvent("wait", "many"));
    const triggers = Array.from({ length: 3 }, (_, n) => ({ url, label: `l${n}` }));
    const runs = await sdk.workflow.trigger(triggers);
    assert.deepEqual(await sdk.workflow.cancel([runs[0]!.workflowRunId, "wfr_none"]), {
      cancelled: 1,
    });
    assert.deepEqual(await sdk.workflow.cancel({ filter: { label: "l1" } }), { cancelled: 1 });
    assert.deepEqual(await sdk.workflow.cancel({ filter: { workflowUrl: url } }), { cancelled: 1 });
    await assert.rejects(sdk.workflow.cancel("wfr_none"), NotFoundError);
  });
});
