/** What is offered to those who test their own programs: a service with a clock that they move. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client, type Context, Receiver, serve } from "../../sdk/src/sdk.ts";
import { startServer, type TestServer } from "../../src/testing/start-server.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { WorkflowEndpoint } from "../support/workflow-endpoint.ts";

const DAY_MS = 86_400_000;
let server: TestServer;
let client: Client;
let destination: DestinationServer;
let endpoint: WorkflowEndpoint;

before(async () => {
  server = await startServer();
  client = new Client({ baseUrl: server.url, token: server.token });
  destination = await DestinationServer.start();
  endpoint = await WorkflowEndpoint.start();
});

after(async () => {
  await server.stop();
  await destination.close();
  await endpoint.close();
});

/** Serves a workflow that verifies signatures by the clock of this machine. */
function serveAt(path: string, workflow: (context: Context) => Promise<unknown>): string {
  const { url: baseUrl, token } = server;
  const options = { client: { baseUrl, token }, receiver: new Receiver(server) };
  return endpoint.serve(path, serve(workflow, options));
}

test("a message with a delay goes out when its time has come, and not before", async () => {
  await client.publish({ url: `${destination.url}/later`, delay: "2d" });
  await server.advance("1d23h59m");
  assert.equal(destination.to("/later").length, 0);
  await server.advance(61);
  assert.equal(destination.to("/later").length, 1);
});

test("a workflow goes through all that it waits for, each at its time", async () => {
  const url = serveAt("/order", async (context) => {
    await context.sleep("first", "1d");
    await context.run("work", () => 1);
    await context.sleep("second", "1d");
    const { timeout } = await context.waitForEvent("wait", "never", { timeout: "3d" });
    return timeout;
  });
  const { workflowRunId, workflowCreatedAt } = await client.workflow.trigger({ url });
  await server.advance("4d");
  assert.equal((await client.workflow.get(workflowRunId))?.workflowState, "RUN_STARTED");
  await server.advance("1d1m");
  const run = await client.workflow.get(workflowRunId);
  assert.equal(run?.workflowState, "RUN_SUCCESS");
  const tookMs = run.workflowRunCompletedAt! - workflowCreatedAt;
  assert.ok(tookMs >= 5 * DAY_MS && tookMs < 5 * DAY_MS + 60_000, String(tookMs));
});

test("a schedule fires once for every time that has passed", async () => {
  const { scheduleId } = await client.schedules.create({
    destination: `${destination.url}/daily`,
    cron: "0 9 * * *",
  });
  await server.advance("7d");
  await client.schedules.delete(scheduleId);
  assert.equal(destination.to("/daily").length, 7);
});

test("what fails is tried again as its retries say, until it is a dead letter", async () => {
  destination.respond = () => ({ status: 500 });
  const { messageId } = await client.publish({ url: `${destination.url}/fails`, retries: 2 });
  await server.settle();
  assert.equal(destination.to("/fails").length, 1);
  await server.advance("1d");
  destination.respond = () => ({});
  assert.equal(destination.to("/fails").length, 3);
  const { items } = await client.dlq.list({ messageId });
  assert.equal(items.length, 1);
});

test("no time passes by a duration that is none", async () => {
  for (const wrong of ["soon", "", -1, 1.5, Number.NaN]) {
    await assert.rejects(async () => server.advance(wrong), /duration/, String(wrong));
  }
});

test("its variables are those of the SDK, and nothing is left when it has stopped", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-own-"));
  const { TMPDIR: usual } = process.env;
  process.env["TMPDIR"] = folder;
  const one = await startServer();
  Object.assign(process.env, one.environment);
  assert.equal(readdirSync(folder).length, 1);
  await new Client().publish({ url: `${destination.url}/by-variables` });
  await one.settle();
  assert.equal(destination.to("/by-variables").length, 1);
  await new Receiver().verify({
    signature: String(destination.to("/by-variables")[0]?.headers["svc-signature"]),
    body: "",
  });
  await one.stop();
  for (const name of [...Object.keys(one.environment), "TMPDIR"]) delete process.env[name];
  if (usual !== undefined) process.env["TMPDIR"] = usual;
  assert.deepEqual(readdirSync(folder), []);
  rmdirSync(folder);
  await assert.rejects(fetch(one.url));
});
