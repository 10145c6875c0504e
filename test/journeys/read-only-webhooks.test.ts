/** A read-only token sees nothing that lets a run continue: neither the id of a webhook nor its URL. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "@upstash/workflow";
import { createRouter } from "../../src/api/http/server/router.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { BODY_PART_BYTES } from "../../src/store/reader/messages.ts";
import type { Webhook } from "../../sdk/src/sdk.ts";
import { EventStream } from "../support/event-stream.ts";
import { call } from "../support/http-call.ts";
import { type SdkJourney, sdkJourneys } from "../support/sdk-journeys.ts";

/** More than one part of a body in the store. */
const LARGE = "large. ".repeat(Math.ceil(BODY_PART_BYTES / 7));

sdkJourneys("webhooks and a read-only token", {}, (journey) => {
  test("of our SDK: no route shows them, before the call and after", async (t) => {
    const listener = await listen(t, journey);
    let hook: Webhook | undefined;
    const url = journey.serve("/ours", async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => (hook = webhook));
      await context.call("tell", { url: `${journey.destination.url}/tell`, body: webhook });
      return (await context.waitForWebhook("wait", webhook, { timeout: "1h" })).timeout;
    });
    const { workflowRunId } = await journey.sdk.workflow.trigger({ url });
    await journey.endpoint.until(() => hook !== undefined);
    await check(journey, listener, workflowRunId, hook!);
  });

  test("of the public SDK: no route shows them, before the call and after", async (t) => {
    const listener = await listen(t, journey);
    let hook: Webhook | undefined;
    const { handler } = serve(async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => (hook = webhook));
      const body = JSON.stringify(webhook);
      await context.call("tell", { url: `${journey.destination.url}/tell`, body });
      return (await context.waitForWebhook("wait", webhook, "1h")).timeout;
    }, journey.serveOptions);
    const url = journey.endpoint.serve("/theirs", handler);
    const { workflowRunId } = await journey.client.trigger({ url });
    await journey.endpoint.until(() => hook !== undefined);
    await check(journey, listener, workflowRunId, hook!);
  });

  test("a failed run does not tell it in its error", async () => {
    const { service } = journey;
    let hook: Webhook | undefined;
    const url = journey.serve("/fails", async (context) => {
      hook = await context.createWebhook("make");
      await context.run("break", () => {
        throw new Error(`nobody called ${hook!.webhookUrl}`);
      });
    });
    const runId = await journey.run(url, "failed", { retries: 0 });
    const { dlqId } = await service.failedRun(runId);
    await requireHidden(
      journey,
      [
        "/v2/workflows/dlq",
        `/v2/workflows/dlq/${dlqId}`,
        "/v2/dlq?source=workflow",
        "/v2/dlq/groups",
        "/v2/dlq/hosts",
        "/v2/dlq/groups?source=workflow",
      ],
      hook!.eventId,
    );
  });

  test("an id that no SDK has drawn is not told by the steps, nor by the list of waiters", async () => {
    const { service, client, endpoint } = journey;
    const eventId = "a-secret-of-my-own";
    let isMade = false;
    const { handler } = serve(async (context) => {
      const webhook = { webhookUrl: `http://localhost/x/${eventId}`, eventId };
      await context.waitForWebhook("in vain", webhook, "1s");
      await context.run("make", () => void (isMade = true));
      await context.waitForWebhook("wait", webhook, "1h");
    }, journey.serveOptions);
    const { workflowRunId } = await client.trigger({ url: endpoint.serve("/own-id", handler) });
    await endpoint.until(() => isMade);
    await journey.waiters(eventId, 1);
    const { readOnlyToken } = service.credentials;
    const seen = await call(service.url, "GET", `/v2/waiters/${eventId}`, { token: readOnlyToken });
    assert.deepEqual([seen.status, seen.json], [200, []]);
    const paths = ["/v2/workflows/logs", "/v2/workflows/events"];
    await requireHidden(journey, paths, eventId);
    await requireHidden(journey, [`/v2/workflows/runs/${workflowRunId}`], eventId);
  });
});

async function listen(
  t: { after: (action: () => void) => void },
  { service }: SdkJourney,
): Promise<EventStream> {
  const listener = await EventStream.open(service.url, service.credentials.readOnlyToken);
  t.after(() => listener.close());
  return listener;
}

async function check(
  journey: SdkJourney,
  listener: EventStream,
  runId: string,
  hook: Webhook,
): Promise<void> {
  const { service, destination } = journey;
  const { eventId, webhookUrl } = hook;
  await journey.waiters(eventId, 1);
  const elsewhere = webhookUrl.replace(/^http:\/\/[^/]+/, "https://hooks.example.com");
  const paths = await mention(journey, elsewhere);
  const seen = await requireHidden(journey, [...paths, `/v2/workflows/runs/${runId}`], eventId);
  requireEveryRoute([...paths, `/v2/workflows/runs/${runId}`]);
  assert.ok(seen >= 12, `only ${seen} routes show it to the token of the account`);
  const called = await fetch(webhookUrl, { method: "POST", body: webhookUrl });
  assert.equal(called.status, 200);
  await journey.phase(runId, "success");
  await requireHidden(journey, paths, eventId);
  await listener.until(
    ({ logged }) => logged.some(({ url }) => url === `${destination.url}/callback`),
    "the callback",
  );
  await service.logUntil(String(listener.logged.at(-1)?.["messageId"]), "DELIVERED");
  assert.ok(!isTold(JSON.stringify(listener.events), eventId), "the stream");
}

/** Puts the URL wherever an account may put one; answers the paths of everything that is shown. */
async function mention({ service, destination }: SdkJourney, hook: string): Promise<string[]> {
  const json = JSON.stringify({ hook });
  const sent = await service.publish(
    `${destination.url}/mail`,
    { "Svc-Callback": `${destination.url}/callback` },
    json,
  );
  await service.logUntil(sent, "DELIVERED");
  const waiting = { "Svc-Delay": "1h" };
  const large = await service.publish(`${destination.url}/large`, waiting, LARGE + json + LARGE);
  const bytes = await service.publish(
    `${destination.url}/bytes`,
    waiting,
    Buffer.concat([Buffer.from([0xff]), Buffer.from(LARGE + json + LARGE)]),
  );
  const direct = await service.publish(hook, {
    ...waiting,
    "Svc-Flow-Control-Key": "hooks",
    "Svc-Flow-Control-Value": "parallelism=1",
  });
  await service.call("POST", "/v2/queues", { body: '{"queueName":"hooks"}' });
  destination.respond = ({ url }) => ({ status: url === "/dead" ? 500 : 200, body: hook });
  const dead = await service.publish(`${destination.url}/dead`, { "Svc-Retries": "0" }, json);
  await service.logUntil(dead, "FAILED");
  await service.call("POST", "/v2/topics/hooks/endpoints", {
    body: JSON.stringify({ endpoints: [{ name: "hook", url: hook }] }),
  });
  await service.call("POST", `/v2/schedules/${hook}`, {
    headers: { "Svc-Cron": "0 9 * * *", "Svc-Schedule-Id": "hook" },
    body: json,
  });
  const [letter] = await service.list("/v2/dlq", "messages");
  return [
    ...[sent, large, bytes, direct].map((id) => `/v2/messages/${id}`),
    ...SHOWN_PATHS,
    `/v2/messages/${sent}/callbacks`,
    `/v2/dlq/${String(letter!["dlqId"])}`,
    `/v2/logs?messageId=${sent}`,
  ];
}

/** Asks with both tokens; answers to how many paths the token of the account was told. */
async function requireHidden(
  { service }: SdkJourney,
  paths: readonly string[],
  eventId: string,
): Promise<number> {
  let told = 0;
  for (const path of paths) {
    const full = await service.call("GET", path);
    const { readOnlyToken: token } = service.credentials;
    const hidden = await call(service.url, "GET", path, { token });
    if (hidden.status !== 403) assert.equal(hidden.status, full.status, `${path} ${hidden.text}`);
    if (isTold(full.text, eventId)) told += 1;
    assert.ok(!isTold(hidden.text, eventId), path);
    assert.doesNotThrow(() => JSON.parse(hidden.text), path);
  }
  assert.ok(told > 0);
  return told;
}

/** Whether a text holds it, in clear or encoded up to three times. */
function isTold(text: string, eventId: string): boolean {
  return encodingsOf(eventId, 3).some((encoded) => text.includes(encoded));
}

/** What base64 makes of it wherever it stands: the characters that its neighbors have no part in. */
function encodingsOf(text: string, timesMax: number): string[] {
  if (timesMax === 0) return [text];
  const encoded = [0, 1, 2].flatMap((bytesBefore) => {
    const bytes = Buffer.concat([Buffer.alloc(bytesBefore), Buffer.from(text)]);
    const whole = bytes.toString("base64").replace(/.?=+$/, "");
    return encodingsOf(whole.slice(bytesBefore === 0 ? 0 : bytesBefore + 1), timesMax - 1);
  });
  return [text, ...encoded];
}

/** Every route that a read-only token may read was asked for. */
function requireEveryRoute(paths: readonly string[]): void {
  const router = createRouter(ROUTES);
  const asked = new Set(
    paths.map((path) => {
      const match = router("GET", path);
      return match.kind === "route" ? match.route.path : path;
    }),
  );
  const missing = ROUTES.filter(({ needs, path }) => needs === "read" && !asked.has(path));
  assert.deepEqual(
    missing.map(({ path }) => path),
    OTHER_ROUTES,
  );
}

const SHOWN_PATHS = [
  "/v2/logs?count=1000",
  "/v2/events?count=1000",
  "/v2/messages",
  "/v2/dlq",
  "/v2/dlq/groups",
  "/v2/dlq/hosts",
  "/v2/workflows/logs",
  "/v2/workflows/logs?trimBody=100000",
  "/v2/workflows/events",
  "/v2/workflows/events?groupBy=workflowRunId",
  "/v2/workflows/dlq",
  "/v2/topics",
  "/v2/topics/hooks",
  "/v2/schedules",
  "/v2/schedules/hook",
  "/v2/queues",
  "/v2/queues/hooks",
  "/v2/flowControl",
  "/v2/flowControl/hooks",
  "/v2/globalParallelism",
  "/v2/stats",
  "/v2/hosts",
  "/v2/overview",
  "/v2/workflows/counts",
  "/v2/waiting",
  "/v2/account",
];

/** Asked for in other tests of this file, or without anything of the account in their answer. */
const OTHER_ROUTES = [
  "/v2/cron/preview",
  "/v2/stream",
  "/v2/waiters/{eventId...}",
  "/v2/workflows/dlq/{dlqId}",
  "/dev/clock",
  "/dev/simulate",
];
