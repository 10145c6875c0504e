/** A service that starts paused, and a pause that reaches every node before it is answered. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { callConsole } from "../support/console-call.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { call } from "../support/http-call.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";

test("--paused: nothing is sent before postrider resume, and the start says so", async (t) => {
  const destination = await openDestination(t);
  const data = freshFolder(t);
  const flags = ["--host", "127.0.0.1", "--port", "0", "--data", data];
  const environment = { POSTRIDER_EGRESS_ALLOW: "127.0.0.1/32" };
  const first = new Command(["serve", ...flags, "--paused", "--log", "pretty"], environment);
  t.after(() => first.signal("SIGKILL"));
  const token = (await first.says(/^POSTRIDER_TOKEN=(\S+)$/m))[1]!;
  await first.says(/Note +deliveries are paused: .* until postrider resume/);
  const [, url] = await first.says(/running at (\S+)/);
  const target = `/v2/publish/${destination.url}/restored`;
  assert.equal((await call(url!, "POST", target, { token })).status, 200);
  first.signal("SIGTERM");
  assert.equal(await first.ends(), 0);
  assert.equal(destination.to("/restored").length, 0);

  // It stays paused without the flag: only an operator lets it go.
  const second = new Command(["serve", ...flags, "--log", "json"], environment);
  t.after(() => second.signal("SIGKILL"));
  await second.says(/deliveries are paused: .* until postrider resume/);
  assert.equal(destination.to("/restored").length, 0);
  const resume = new Command(["resume", "--data", data]);
  assert.equal(await resume.ends(), 0);
  assert.match(resume.output, /Deliveries are resumed/);
  await destination.received("/restored");
  second.signal("SIGTERM");
  assert.equal(await second.ends(), 0);
});

test(
  "PostgreSQL: a pause through one node stops the other too",
  { skip: postgresMissing() },
  async (t) => {
    const destination = await openDestination(t);
    const database = await freshDatabase();
    t.after(() => database.drop());
    const flags = { databaseUrl: database.url, secretKey: "a-secret-key-of-the-cluster" };
    const one = await TestService.start({ flags });
    const two = await TestService.start({ flags });
    t.after(() => Promise.all([one.stop(), two.stop()]));
    const { json } = await callConsole(one.url, "POST", "/v2/svc/pause");
    assert.equal((json["nodes"] as string[]).length, 2);
    assert.deepEqual(json["pending"], []);
    for (const node of [one, two]) await node.publish(`${destination.url}/paused`);
    assert.equal(destination.to("/paused").length, 0);
    await callConsole(two.url, "POST", "/v2/svc/resume");
    await destination.received("/paused", 2);
  },
);

async function openDestination(t: TestContext): Promise<DestinationServer> {
  const destination = await DestinationServer.start();
  t.after(() => destination.close());
  return destination;
}

function freshFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "postrider-paused-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
