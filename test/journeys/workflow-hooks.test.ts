/** Webhooks are called by strangers: the id in their URL is all that lets a call in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, type CallAnswer, exchangeBytes } from "../support/http-call.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("webhooks", {}, (journey) => {
  /** A call to the webhook of a run, as a stranger makes it. */
  const ring = (path: string, body = "ring") =>
    call(journey.service.url, "POST", `/v2/workflows/hooks/${path}`, { body });

  /** A run that has given its webhook away and goes on when it is called; answers its URL. */
  async function hooked(path: string): Promise<{ runId: string; hook: string }> {
    const { endpoint, client } = journey;
    let hook = "";
    const url = journey.serve(path, async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => void (hook = webhook.webhookUrl));
      await context.waitForWebhook("called", webhook, "1h");
    });
    const { workflowRunId: runId } = await client.trigger({ url });
    await endpoint.until(() => hook !== "");
    await journey.waiters(eventIn(hook), 1);
    return { runId, hook: pathIn(hook) };
  }

  test("a stranger cannot release a wait for an event, nor bring it before", async () => {
    const { client, service } = journey;
    const got: unknown[] = [];
    const url = journey.serve("/approved", async (context) => {
      const { eventData } = await context.waitForEvent("wait", "approval", { timeout: "1h" });
      got.push(eventData);
    });
    const { workflowRunId } = await client.trigger({ url });
    await journey.waiters("approval", 1);
    const before = await service.rowCount();
    assert.equal((await ring(`defaultUser/${workflowRunId}/approval`)).status, 404);
    assert.equal((await ring(`defaultUser/${workflowRunId}/later`)).status, 404);
    assert.equal(await service.rowCount(), before);
    await journey.waiters("approval", 1);
    await client.notify({ eventId: "approval", eventData: "yes" });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["yes"]);
  });

  test("the id of a webhook releases waits for the webhook, and no others", async () => {
    const { endpoint, client } = journey;
    const got: unknown[] = [];
    let eventId = "";
    const url = journey.serve("/both", async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => void (eventId = webhook.eventId));
      const waited = await context.waitForEvent("wait", webhook.eventId, { timeout: "1h" });
      const { request } = await context.waitForWebhook("called", webhook, "1h");
      got.push(waited.eventData, await request?.text());
    });
    const { workflowRunId } = await client.trigger({ url });
    await endpoint.until(() => eventId !== "");
    assert.equal((await ring(`defaultUser/${workflowRunId}/${eventId}`)).status, 200);
    await journey.waiters(eventId, 1);
    assert.equal((await ring(`defaultUser/${workflowRunId}/${eventId}`, "later")).status, 200);
    await client.notify({ eventId, eventData: "told" });
    await journey.phase(workflowRunId, "success");
    assert.deepEqual(got, ["told", "ring"]);
  });

  test("what does not exist is refused alike, whichever part of it", async () => {
    const { runId, hook } = await hooked("/alike");
    const eventId = eventIn(hook);
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
    await service.console("POST", "/v2/svc/suspend/defaultUser");
    assert.equal((await ring(hook)).status, 403);
    assert.equal((await ring(`${hook}x`)).status, 404);
    await service.console("POST", "/v2/svc/activate/defaultUser");
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
    const { service } = journey;
    let hook = "";
    const url = journey.serve("/restarted", async (context) => {
      const webhook = await context.createWebhook("make");
      hook ||= webhook.webhookUrl;
      await context.run("breaks", () => {
        throw new Error("always");
      });
    });
    const workflowRunId = await journey.run(url, "failed", { retries: 0 });
    const { dlqId } = await service.failedRun(workflowRunId);
    await service.call("POST", `/v2/workflows/dlq/restart/${dlqId}`);
    assert.equal(await service.status("POST", new URL(hook).pathname), 404);
  });

  test("calls to webhooks have a rate of their own", async () => {
    const { client, service } = journey;
    let hook = "";
    const url = journey.serve("/rate", async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => void (hook = webhook.webhookUrl));
      await context.waitForEvent("wait", "rate", { timeout: "1h" });
    });
    await client.trigger({ url });
    await journey.waiters("rate", 1);
    const path = pathIn(hook);
    const refused = await ringUntilRefused(`${path}x`);
    assert.equal(refused.headers["burst-ratelimit-remaining"], "0");
    assert.ok(Number(refused.headers["burst-ratelimit-reset"]) > 0);
    assert.ok(Number(refused.headers["retry-after"]) >= 1);
    // A stranger who guesses slows down neither callers with a token nor those that know a URL.
    assert.equal(await service.status("GET", "/v2/logs"), 200);
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

/** What of the URL of a webhook follows the address of all. */
function pathIn(hook: string): string {
  return hook.slice(hook.indexOf("/hooks/") + "/hooks/".length);
}

function eventIn(hook: string): string {
  return hook.slice(hook.lastIndexOf("/") + 1);
}
