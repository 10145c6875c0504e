/** A service that starts paused, and a pause that reaches every node before it is answered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountCalls } from "../support/account-calls.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { startTwoNodes } from "../support/two-nodes.ts";
import { postgresMissing } from "../support/postgres-url.ts";

test("--paused: nothing is sent before postrider resume, and the start says so", async (t) => {
  const destination = await DestinationServer.startFor(t);
  const data = freshFolder(t);
  const flags = ["--data", data];
  const environment = { POSTRIDER_EGRESS_ALLOW: "127.0.0.1/32" };
  const first = Command.serve(t, [...flags, "--paused", "--log", "pretty"], environment);
  const token = (await first.says(/^POSTRIDER_TOKEN=(\S+)$/m))[1]!;
  await first.says(/Note +deliveries are paused: .* until postrider resume/);
  const [, url] = await first.says(/running at (\S+)/);
  await new AccountCalls(url!, token).publish(`${destination.url}/restored`);
  await first.stop();
  assert.equal(destination.to("/restored").length, 0);

  // It stays paused without the flag: only an operator lets it go.
  const second = Command.serve(t, flags, environment);
  await second.says(/deliveries are paused: .* until postrider resume/);
  assert.equal(destination.to("/restored").length, 0);
  const resume = new Command(["resume", "--data", data]);
  assert.equal(await resume.ends(), 0);
  assert.match(resume.output, /Deliveries are resumed/);
  await destination.received("/restored");
  await second.stop();
});

test(
  "PostgreSQL: a pause through one node stops the other too",
  { skip: postgresMissing() },
  async (t) => {
    const destination = await DestinationServer.startFor(t);
    const [one, two] = await startTwoNodes(t);
    const { json } = await one.console("POST", "/v2/svc/pause");
    assert.equal((json["nodes"] as string[]).length, 2);
    assert.deepEqual(json["pending"], []);
    for (const node of [one, two]) await node.publish(`${destination.url}/paused`);
    assert.equal(destination.to("/paused").length, 0);
    await two.console("POST", "/v2/svc/resume");
    await destination.received("/paused", 2);
  },
);
