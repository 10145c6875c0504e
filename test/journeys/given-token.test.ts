/** A service for others whose first account was given its token, as one who moves here gives it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "@upstash/workflow";
import type { Webhook } from "../../sdk/src/sdk.ts";
import { freshAccount } from "../support/console-call.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";
import { type HarnessOptions, TestService } from "../support/service-harness.ts";

const USER_ID = "6f4b1f0e-ann@example.com";
const FLAGS = {
  egressAllow: "127.0.0.1",
  secretKey: "a secret key of the tests, which is long enough",
  adminUser: "admin",
  adminPassword: "postrider",
};

function tokenOf(userId: string, password = "of-my-own"): string {
  return btoa(JSON.stringify({ UserID: userId, Password: password }));
}

function serving(token?: string): HarnessOptions & { readonly mode: "serve" } {
  return { mode: "serve", flags: token === undefined ? FLAGS : { ...FLAGS, token } };
}

sdkJourneys("a token that was given", serving(tokenOf(USER_ID)), (journey) => {
  test("a webhook of @upstash/workflow reaches its run", async () => {
    const { endpoint, client, serveOptions } = journey;
    let hook: Webhook | undefined;
    const { handler } = serve(async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => void (hook = webhook));
      const { request } = await context.waitForWebhook("wait", webhook, "1h");
      return request?.text();
    }, serveOptions);
    const url = endpoint.serve("/theirs", handler);
    const { workflowRunId } = await client.trigger({ url });
    await endpoint.until(() => hook !== undefined);
    const { status } = await fetch(hook!.webhookUrl, { method: "POST", body: "called" });
    assert.equal(status, 200);
    await journey.phase(workflowRunId, "success");
    assert.equal(await journey.result(workflowRunId), "called");
  });

  test("a webhook of our SDK reaches its run, and no other address does", async () => {
    let hook: Webhook | undefined;
    const url = journey.serve("/ours", async (context) => {
      const webhook = await context.createWebhook("make");
      await context.run("give away", () => void (hook = webhook));
      const { request } = await context.waitForWebhook("wait", webhook, { timeout: "1h" });
      return request?.text();
    });
    const { workflowRunId } = await journey.sdk.workflow.trigger({ url });
    await journey.endpoint.until(() => hook !== undefined);
    const other = await freshAccount(journey.service.url);
    const post = { method: "POST", body: "called" };
    for (const id of [other.id, "owner"]) {
      const foreign = hook!.webhookUrl.replace(encodeURIComponent(USER_ID), id);
      assert.notEqual(foreign, hook!.webhookUrl);
      assert.equal((await fetch(foreign, post)).status, 404);
    }
    assert.equal((await fetch(hook!.webhookUrl, post)).status, 200);
    await journey.phase(workflowRunId, "success");
    assert.equal(await journey.result(workflowRunId), "called");
  });
});

/** All accounts of a service over this data, and whether it says that its token is not used. */
async function start(folder: string, token?: string): Promise<[string[], boolean]> {
  const service = await TestService.start({ ...serving(token), folder });
  const rows = await service.select("SELECT account_id FROM accounts ORDER BY account_id");
  await service.stop();
  return [rows.map((row) => String(row["account_id"])), service.service.isSeedIgnored];
}

test("the first account stays the only one, whatever token the next start is given", async (context) => {
  const folder = freshFolder(context);
  assert.deepEqual(await start(folder, tokenOf("ann")), [["ann"], false]);
  assert.deepEqual(await start(folder), [["ann"], false]);
  assert.deepEqual(await start(folder, tokenOf("ben")), [["ann"], true]);
});

test("a token that names an account of dev makes no data of dev", async (context) => {
  const folder = freshFolder(context);
  const token = tokenOf("defaultUser", "which-nobody-knows");
  assert.deepEqual(await start(folder, token), [["defaultUser"], false]);
  assert.deepEqual(await start(folder, token), [["defaultUser"], false]);
});

test("without a token the first account has an id of its own, and keeps it", async (context) => {
  const folders = [freshFolder(context), freshFolder(context)];
  const [[[one = ""]], [[two = ""]]] = [await start(folders[0]!), await start(folders[1]!)];
  assert.match(one, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.notEqual(one, two);
  assert.deepEqual(await start(folders[0]!), [[one], false]);
  const plain = await start(freshFolder(context), "a-token-that-names-no-account");
  assert.notEqual(plain[0][0], one);
});

test("the first account of an earlier version keeps its id", async (context) => {
  const folder = freshFolder(context);
  const earlier = "00000000-0000-4000-8000-000000000001";
  assert.deepEqual(await start(folder, tokenOf(earlier)), [[earlier], false]);
  assert.deepEqual(await start(folder), [[earlier], false]);
});
