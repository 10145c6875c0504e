/**
 * The same workflow written with our SDK and with the public one: their runs cannot be told apart.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve as servePublic } from "@upstash/workflow";
import type { Run } from "../../sdk/src/sdk.ts";
import { textOf } from "../support/destination-server.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

/** What both contexts have in common, as far as the workflow uses it. */
interface AnyContext {
  readonly requestPayload: unknown;
  run<Result>(name: string, work: () => Result): Promise<Result>;
  sleep(name: string, duration: number | `${bigint}s`): Promise<void>;
  sleepUntil(name: string, instant: Date): Promise<void>;
  call(name: string, request: CallRequest): Promise<{ status: number; body: unknown }>;
  waitForEvent(
    name: string,
    eventId: string,
    options: { timeout: `${bigint}s` },
  ): Promise<{ eventData: unknown; timeout: boolean }>;
  notify(name: string, eventId: string, data: unknown): Promise<unknown>;
}

interface CallRequest {
  readonly url: string;
  readonly method: "POST";
  readonly body: string;
  readonly headers: Record<string, string>;
}

async function workflow(context: AnyContext): Promise<unknown> {
  const { n, url } = context.requestPayload as { n: number; url: string };
  const one = await context.run("one", () => n + 1);
  await context.run("nothing", () => undefined);
  await context.sleep("sleep", 1);
  const [a, b] = await Promise.all([
    context.run("a", () => one * 2),
    context.run("b", () => ({ text: "ü", list: [null, 1.5] })),
    context.sleep("c", "1s"),
  ]);
  await context.sleepUntil("until", new Date(1_700_000_000_000));
  const branches = await Promise.all(
    ["x", "y"].map(async (name) => {
      const first = await context.run(`${name}1`, () => name);
      return context.run(`${name}2`, () => first + first);
    }),
  );
  const request = { url, method: "POST", body: "hällo", headers: { "X-Own": "1" } } as const;
  const called = await context.call("call", request);
  const [waited] = await Promise.all([
    context.waitForEvent("wait", "nobody knows", { timeout: "1s" }),
    context.notify("notify", "nobody waits", { a: 1 }),
    context.call("call at once", request),
  ]);
  return { a, b, branches, called: [called.status, called.body], waited };
}

sdkJourneys("one workflow, two SDKs", {}, (journey) => {
  test("the entries, the calls to the endpoint, the result and the log are the same", async () => {
    const { endpoint, service, sdk, serveOptions } = journey;
    const own = journey.serve("/own", workflow);
    const other = endpoint.serve("/public", servePublic(workflow, serveOptions).handler);
    journey.destination.respond = () => ({
      status: 201,
      body: '{"o":1}',
      headers: { Date: "now", "Content-Type": "application/json" },
    });
    const body = { n: 1, url: journey.destination.url };
    const { workflowRunId: ownRun } = await sdk.workflow.trigger({ url: own, body });
    const headers = { "Upstash-Retries": "3", "Content-Type": "application/json" };
    const triggered = await service.call("POST", `/v2/trigger/${other}`, {
      headers,
      body: JSON.stringify(body),
    });
    const otherRun = triggered.json["workflowRunId"] as string;
    await Promise.all([journey.phase(ownRun, "success"), journey.phase(otherRun, "success")]);
    assert.deepEqual(entriesIn(endpoint.to("/own")), entriesIn(endpoint.to("/public")));
    assert.equal(endpoint.to("/own").length, endpoint.to("/public").length);
    const result = await journey.result(ownRun);
    assert.deepEqual(result, {
      a: 4,
      b: { text: "ü", list: [null, 1.5] },
      branches: ["xx", "yy"],
      called: [201, { o: 1 }],
      waited: { timeout: true },
    });
    assert.deepEqual(await journey.result(otherRun), result);
    const ownLog = logOf(await sdk.workflow.wait(ownRun));
    assert.deepEqual(ownLog, logOf(await sdk.workflow.wait(otherRun)));
    assert.ok(JSON.stringify(ownLog).length > 2_000, "the logs say something");
  });
});

/** A log without what is each run's own: ids, times, addresses and the names of the dialect. */
function logOf(run: Run): unknown {
  const text = JSON.stringify(run)
    .replaceAll(/"(workflowRunId|messageId|workflowUrl|waitTimeoutDuration)":"[^"]*"/g, '"$1":""')
    .replaceAll(/"(\w*(?:At|Time|Deadline|Date)|time)":\d+/g, '"$1":0')
    .replaceAll(/\b(Upstash|Svc)-/g, "")
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/(own|public)/g, "");
  return JSON.parse(text);
}

/** The entries of the largest delivery; those of steps at once come in any order. */
function entriesIn(calls: readonly { readonly body: Buffer }[]): unknown[] {
  const [largest] = calls.toSorted((a, b) => b.body.length - a.body.length);
  const entries = JSON.parse(textOf(largest)) as { callType: string; body: string }[];
  return entries
    .map(({ callType, body }) => ({ callType, text: Buffer.from(body, "base64").toString() }))
    .map(({ callType, text }) => ({ callType, step: JSON.parse(text) as unknown }))
    .toSorted((a, b) => orderOf(a.step) - orderOf(b.step));
}

function orderOf(step: unknown): number {
  const { stepId = 0, targetStep = 0 } = step as { stepId?: number; targetStep?: number };
  return (stepId + targetStep) * 2 + (stepId > 0 ? 1 : 0);
}
