/** Answers far larger than the default size of messages, for accounts that may have them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { serve } from "@upstash/workflow";
import { jsonOf } from "../support/destination-server.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";
import type { Item } from "../support/account-calls.ts";

const MEBIBYTE = 1024 * 1024;
const LIMIT = 5 * MEBIBYTE;
/** What grows when it is escaped is enough for a step past the limit: it is submitted escaped twice. */
const WHOLE = `${"x".repeat(3 * MEBIBYTE)}${'"é\\'.repeat(MEBIBYTE / 4)}`;
const TOO_LARGE = "é".repeat(LIMIT / 2 + 1);
const TOO_LARGE_SAID = /^the answer is larger than 5242880 bytes/;

/** What the function of a workflow is given for a call. */
interface Called {
  readonly status: number;
  readonly body: unknown;
}

sdkJourneys("answers of many megabytes", {}, (journey) => {
  before(async () => {
    await journey.service.limit({ messageBytesMax: LIMIT });
  });

  async function byPublicClient(path: string): Promise<Called> {
    const { destination, endpoint, client, serveOptions } = journey;
    let called: Called | undefined;
    const { handler } = serve(async (context) => {
      called = await context.call("call", { url: `${destination.url}${path}` });
    }, serveOptions);
    const { workflowRunId } = await client.trigger({
      url: endpoint.serve(`/public${path}`, handler),
    });
    await endpoint.until(() => called !== undefined);
    await journey.phase(workflowRunId, "success");
    const { status, body } = called!;
    // This client takes each byte of an answer for a character.
    const isText = typeof body === "string";
    return { status, body: isText ? Buffer.from(body, "latin1").toString() : body };
  }

  async function byOwnSdk(path: string): Promise<Called> {
    const { destination, endpoint, sdk } = journey;
    let called: Called | undefined;
    const url = journey.serve(`/own${path}`, async (context) => {
      called = await context.call("call", { url: `${destination.url}${path}` });
    });
    const { workflowRunId } = await sdk.workflow.trigger({ url });
    await endpoint.until(() => called !== undefined);
    await journey.phase(workflowRunId, "success");
    return called!;
  }

  for (const [client, call] of [
    ["@upstash/workflow", byPublicClient],
    ["postrider/sdk", byOwnSdk],
  ] as const) {
    test(`${client}: an answer arrives whole, and past the limit the call fails`, async () => {
      const { destination } = journey;
      destination.respond = ({ url }) => ({ body: url === "/whole" ? WHOLE : TOO_LARGE });
      const whole = await call("/whole");
      assert.equal(whole.status, 200);
      assert.ok(whole.body === WHOLE, "the answer is whole");
      const { status, body } = await call("/too-large");
      assert.equal(status, 413);
      const said = (typeof body === "string" ? JSON.parse(body) : body) as Item;
      assert.deepEqual(Object.keys(said).toSorted(), ["error", "message", "truncated"]);
      assert.equal(said["truncated"], true);
      assert.match(String(said["error"]), TOO_LARGE_SAID);
    });
  }

  test("a failure body arrives whole, and past the limit it says that it is cut", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => {
      if (url.endsWith("-report")) return {};
      const message = url === "/fails" ? WHOLE.slice(MEBIBYTE / 2) : TOO_LARGE;
      const body = JSON.stringify({ error: "Error", message });
      return { status: 500, headers: { "Svc-Workflow-Sdk-Version": "1" }, body };
    };
    const reported = async (path: string): Promise<Item> => {
      await service.trigger(`${destination.url}${path}`, {
        "Svc-Retries": "0",
        "Svc-Failure-Callback": `${destination.url}${path}-report`,
      });
      const [report] = await destination.received(`${path}-report`);
      return JSON.parse(Buffer.from(String(jsonOf(report)["body"]), "base64").toString()) as Item;
    };
    const [whole, cut] = [await reported("/fails"), await reported("/fails-too-large")];
    assert.ok(whole["message"] === WHOLE.slice(MEBIBYTE / 2), "the failure body is whole");
    assert.deepEqual(Object.keys(whole), ["error", "message"]);
    assert.deepEqual(Object.keys(cut), ["error", "message", "truncated"]);
    assert.equal(cut["truncated"], true);
    assert.match(String(cut["error"]), TOO_LARGE_SAID);
    assert.match(String(cut["message"]), /"message":"ééé/);
  });
});
