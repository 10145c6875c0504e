/** Webhooks are called by strangers: the id in their URL is all that lets a call in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "@upstash/workflow";
import { callConsole } from "../support/console-call.ts";
import { call, type CallAnswer, exchangeBytes } from "../support/http-call.ts";
import { eventually } from "../support/eventually.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("webhooks", {}, (journey) => {
  /** A call to the webhook of a run, as a stranger makes it. */
  const ring = (path: string, body = "ring") =>
    call(journey.service.url, "POST", `/v2/workflows/hooks/${path}`, { body });

  async function waits(eventId: string, count: number): Promise<void> {
    await eventually(async () => {
      const { text } = await journey.service.call("GET", `/v2/waiters/${eventId}`);
      return (JSON.parse(text) as unknown[]).length === count ? true : null;
    }, `${count} waiters for ${eventId}`);
  }

  /** A run that has given its webhook away and goes on when it is called; answers its URL. */
  async function hooked(path: string): Promise<{ runId: string; hook: string }> {
    const { endpoint, client, serveOptions } = journey;
    let hook = "";
    const { handler } = serve(async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => void (hook = webhook.webhookUrl));
      await context.waitForWebhook("called", webhook, "1h");
    }, serveOptions);
    const url = endpoint.serve(path, handler);
    const { workflowRunId: runId } = await client.trigger({ url });
    await endpoint.until(() => hook !== "");
    await waits(hook.slice(hook.lastIndexOf("/") + 1), 1);
    return { runId, hook: hook.slice(hook.indexOf("/hooks/") + "/hooks/".length) };
  }

  test("a stranger cannot release a wait for an event, nor bring it before", async () => {
    const { endpoint, client, serveOptions, service } = journey;
    const got: unknown[] = [];
    const { handler } = serve(async (context) => {
      const { eventData } = await context.waitForEvent("wait", "approval", { timeout: "1h" });
      got.push(eventData);
    }, serveOptions);
    const url = endpoint.serve("/approved", handler);
    const { workflowRunId } = await client.trigger({ url });
    await waits("approval", 1);
    const before = await service.rowCount();
    assert.equal((await ring(`defaultUser/${workflowRunId}/approval`)).status, 404);
    assert.equal((await ring(`defaultUser/${workflowRunId}/later`)).status, 404);
    assert.equal(await service.rowCount(), before);
    await waits("approval", 1);
    await client.notify({ eventId: "approval", eventData: "yes" });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["yes"]);
  });

  test("the id of a webhook releases waits for the webhook, and no others", async () => {
    const { endpoint, client, serveOptions } = journey;
    const got: unknown[] = [];
    let eventId = "";
    const { handler } = serve(async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => void (eventId = webhook.eventId));
      const waited = await context.waitForEvent("wait", webhook.eventId, { timeout: "1h" });
      const { request } = await context.waitForWebhook("called", webhook, "1h");
      got.push(waited.eventData, await request?.text());
    }, serveOptions);
    const url = endpoint.serve("/both", handler);
    const { workflowRunId } = await client.trigger({ url });
    await endpoint.until(() => eventId !== "");
    assert.equal((await ring(`defaultUser/${workflowRunId}/${eventId}`)).status, 200);
    await waits(eventId, 1);
    assert.equal((await ring(`defaultUser/${workflowRunId}/${eventId}`, "later")).status, 200);
    await client.notify({ eventId, eventData: "told" });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["told", "ring"]);
  });

  test("what does not exist is refused alike, whichever part of it", async () => {
    const { runId, hook } = await hooked("/alike");
    const eventId = hook.slice(hook.lastIndexOf("/") + 1);
    const wrong = [
      `defaultUser/${runId}/evt_other`,
      `defaultUser/${runId}/${eventId}x`,
      `defaultUser/wfr_absent/${eventId}`,
      `testUser1/${runId}/${eventId}`,
      `absent/${runId}/${eventId}`,
    ];
    const answers = await Promise.all(wrong.map((path) => ring(path)));
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(answers[0]?.status, 404);
    assert.equal((await ring(hook)).status, 200);
    await journey.phase(runId, "success");
    assert.equal((await ring(hook)).text, answers[0]?.text);
  });

  test("a suspended account takes no call", async () => {
    const { service } = journey;
    const { runId, hook } = await hooked("/suspended");
    await callConsole(service.url, "POST", "/v2/svc/suspend/defaultUser");
    assert.equal((await ring(hook)).status, 403);
    assert.equal((await ring(`${hook}x`)).status, 404);
    await callConsole(service.url, "POST", "/v2/svc/activate/defaultUser");
    assert.equal((await ring(hook)).status, 200);
    await journey.phase(runId, "success");
  });

  test("nothing of a body is read that no run takes", async () => {
    const { service } = journey;
    const { host } = new URL(service.url);
    const head = (path: string): string =>
      `POST /v2/workflows/hooks/${path} HTTP/1.1\r\nHost: ${host}\r\n` +
      "Content-Length: 900000\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n";
    const answer = await exchangeBytes(service.url, head("defaultUser/wfr_absent/evt_x"));
    assert.match(answer, /^HTTP\/1\.1 404 /);
  });

  test("a run that was started again has none of the webhooks of the one before", async () => {
    const { endpoint, client, serveOptions, service } = journey;
    let hook = "";
    const { handler } = serve(async (context) => {
      const webhook = await context.createWebhook("make");
      hook ||= webhook.webhookUrl;
      await context.run("breaks", () => {
        throw new Error("always");
      });
    }, serveOptions);
    const url = endpoint.serve("/restarted", handler);
    const { workflowRunId } = await client.trigger({ url, retries: 0 });
    await journey.phase(workflowRunId, "failed");
    const { json } = await service.call("GET", "/v2/dlq?source=workflow");
    const letters = json["messages"] as { workflowRunId: string; dlqId: string }[];
    const { dlqId } = letters.find((letter) => letter.workflowRunId === workflowRunId)!;
    await service.call("POST", `/v2/workflows/dlq/restart/${dlqId}`);
    assert.equal((await service.call("POST", new URL(hook).pathname)).status, 404);
  });

  test("calls to webhooks have a rate of their own", async () => {
    const { endpoint, client, serveOptions, service } = journey;
    let hook = "";
    const { handler } = serve(async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => void (hook = webhook.webhookUrl));
      await context.waitForEvent("wait", "rate", { timeout: "1h" });
    }, serveOptions);
    await client.trigger({ url: endpoint.serve("/rate", handler) });
    await waits("rate", 1);
    const path = hook.slice(hook.indexOf("/hooks/") + "/hooks/".length);
    const refused = await ringUntilRefused(`${path}x`);
    assert.equal(refused.headers["burst-ratelimit-remaining"], "0");
    assert.ok(Number(refused.headers["burst-ratelimit-reset"]) > 0);
    assert.ok(Number(refused.headers["retry-after"]) >= 1);
    // A stranger who guesses slows down neither callers with a token nor those that know a URL.
    assert.equal((await service.call("GET", "/v2/logs")).status, 200);
    assert.equal((await ring(path)).status, 200);
    await ringUntilRefused(path);
  });

  /** Calls in rounds, so that a slow machine comes to the limit too. */
  async function ringUntilRefused(path: string): Promise<CallAnswer> {
    for (let round = 0; round < 9; round++) {
      const answers = await Promise.all(Array.from({ length: 110 }, () => ring(path)));
      const refused = answers.find(({ status }) => status === 429);
      if (refused !== undefined) return refused;
    }
    throw new Error(`no call to ${path} was refused`);
  }
});
