/** An incident as a file: exported from a server, and replayed on a laptop by real processes. */
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Context, Receiver, serve } from "../../sdk/src/sdk.ts";
import { devCredentials } from "../../src/operations/account/public-credentials.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { until } from "../support/eventually.ts";
import { Terminal } from "../support/terminal.ts";
import { WorkflowEndpoint } from "../support/workflow-endpoint.ts";

const endings: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => void endings.push(end) };
const folder = freshFolder(scope);
const terminal = new Terminal(folder);
let url = "";
let destination: DestinationServer;
let endpoint: WorkflowEndpoint;

before(async () => {
  destination = await DestinationServer.startFor(scope, ({ url: path }) =>
    path.startsWith("/fail") ? { status: 500, body: "no stock" } : { body: "fine" },
  );
  endpoint = await WorkflowEndpoint.start();
  scope.after(() => endpoint.close());
  const data = join(folder, ".postrider");
  url = await Command.serve(scope, ["--data", data], {}, "dev").url();
});

after(async () => {
  for (const end of endings.toReversed()) await end();
});

interface Shown {
  readonly kind: string;
  readonly redacted: readonly string[];
  readonly message: { readonly body?: string; readonly header: Record<string, string[]> };
  readonly log: readonly { readonly state: string }[];
}

function read(file: string): Shown {
  return JSON.parse(readFileSync(join(folder, file), "utf8")) as Shown;
}

test("a message is exported for its owner alone, and replayed as it was", async () => {
  const message = [`${destination.url}/fail/a?b=1`, "--body", '{"user":42}', "-H", "X-Own: 1"];
  const send = ["publish", ...message, "--method", "PUT", "--retries", "0", "--quiet"];
  const id = (await terminal.says(...send)).trim();
  await until(async () => (await terminal.says("dlq", "list", "--quiet")) !== "", "a dead letter");
  await terminal.says("export", id.slice(-8), "--out", "incident.json");
  assert.equal(statSync(join(folder, "incident.json")).mode & 0o777, 0o600);
  const nowhere = await terminal.run(["export", id, "--out", "nowhere/incident.json"], 1);
  assert.match(
    nowhere.errors,
    /^postrider: \/.*\/nowhere\/incident\.json cannot be written \(ENOENT\)\n$/,
  );
  const exported = readFileSync(join(folder, "incident.json"), "utf8");
  const again = await terminal.run(["export", id, "--out", "incident.json"], 1);
  const exists = /^postrider: \/.*\/incident\.json exists; name a file that does not\n$/;
  assert.match(again.errors, exists);
  assert.equal(again.output, "");
  assert.equal(readFileSync(join(folder, "incident.json"), "utf8"), exported);
  writeFileSync(join(folder, "notes.json.tmp"), "of another program");
  await terminal.says("export", id, "--out", "notes.json");
  assert.equal(readFileSync(join(folder, "notes.json.tmp"), "utf8"), "of another program");
  assert.deepEqual(read("notes.json").message, read("incident.json").message);
  const incident = read("incident.json");
  assert.equal(incident.kind, "message");
  assert.deepEqual(incident.redacted, []);
  assert.ok(incident.log.some(({ state }) => state === "FAILED"));
  assert.deepEqual(JSON.parse(await terminal.says("export", id)).message, incident.message);
  const letter = (await terminal.says("dlq", "list", "--quiet")).trim();
  assert.equal((JSON.parse(await terminal.says("export", letter)) as Shown).kind, "message");
  const laptop = await DestinationServer.startFor(scope, () => ({ body: "fixed" }));
  const said = await terminal.says("replay", "incident.json", "--to", laptop.url);
  assert.match(said, /signed with the key of dev\nstatus 200\nfixed\n$/);
  const [request] = laptop.requests;
  assert.equal(request!.method, "PUT");
  assert.equal(request!.url, "/fail/a?b=1");
  assert.equal(request!.body.toString(), '{"user":42}');
  assert.equal(request!.headers["x-own"], "1");
  assert.equal(request!.headers["svc-message-id"], id);
  const signature = request!.headers["svc-signature"]!;
  const sent = { signature, body: request!.body.toString(), url: `${laptop.url}/fail/a?b=1` };
  assert.equal(await new Receiver(devCredentials()).verify(sent), true);
  const refused = await terminal.run(["replay", "incident.json", "--to", destination.url], 6);
  assert.match(refused.errors, /your program did not accept it: status 500/);
  const elsewhere = `${laptop.url}/other`;
  await terminal.says("replay", "incident.json", "--to", elsewhere, "--body", "another");
  assert.equal(laptop.requests.at(-1)!.url, "/other");
  assert.equal(laptop.requests.at(-1)!.body.toString(), "another");
});

test("what is redacted is not in the file, and a hidden body must be given", async () => {
  const secret = "a secret of the publisher";
  const answer = await fetch(`${url}/v2/publish/${destination.url}/hidden`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${devCredentials().token}`,
      "Svc-Forward-X-Secret": secret,
      "Svc-Redact-Fields": "body, header[X-Secret]",
    },
    body: secret,
  });
  const { messageId } = (await answer.json()) as { messageId: string };
  await destination.received("/hidden");
  await terminal.says("export", messageId, "--out", "hidden.json");
  assert.ok(!readFileSync(join(folder, "hidden.json"), "utf8").includes(secret));
  assert.ok(!readFileSync(join(folder, "hidden.json"), "utf8").includes("REDACTED:"));
  const { redacted, message } = read("hidden.json");
  assert.ok(redacted.includes("message.body"), String(redacted));
  assert.equal(message.body, undefined);
  const without = await terminal.run(["replay", "hidden.json", "--to", destination.url], 1);
  assert.match(without.errors, /the body is redacted.*\n {2}hint: give one with --body/);
  await terminal.says("replay", "hidden.json", "--to", destination.url, "--body", "mine");
  const [, replayed] = destination.to("/hidden");
  assert.equal(replayed!.body.toString(), "mine");
  assert.equal(replayed!.headers["x-secret"], undefined);
});

test("a run is replayed against local code, which is told where it differs", async () => {
  const options = { client: { baseUrl: url, token: devCredentials().token }, receiver: false };
  const original = endpoint.serve(
    "/order",
    serve(async (context: Context) => {
      const stock = await context.run("reserve", () => 7);
      const [one, two] = await Promise.all([
        context.run("left", () => stock + 1),
        context.run("right", () => stock + 2),
      ]);
      await context.sleep("wait", 1);
      await context.run("charge", () => one + two);
    }, options as object),
  );
  const run = (await terminal.says("trigger", original, "--body", '{"order":1}', "--quiet")).trim();
  const shown = () => terminal.says("show", run);
  await until(async () => /RUN_SUCCESS|succeeded/.test(await shown()), "the run has ended");
  await terminal.says("export", run, "--out", "run.json");
  const same = await terminal.says("replay", "run.json", "--to", original);
  assert.match(same, /^step 1 +Run reserve: same$/m);
  assert.match(same, /^step 3 +Run right: same$/m);
  assert.match(same, /^step 4 +SleepFor wait: not compared/m);
  assert.match(same, /^step 5 +Run charge: same$/m);
  assert.match(same, /Your code takes the recorded steps\. Not compared: 1\.\n$/);
  const file = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as { run: object };
  const theirs = { ...file.run, workflowRunId: "wfr_of_another_server" };
  writeFileSync(join(folder, "foreign.json"), JSON.stringify({ ...file, run: theirs }));
  const foreign = await terminal.says("replay", "foreign.json", "--to", original);
  assert.match(foreign, /^step 4 +SleepFor wait: not compared/m);
  assert.match(foreign, /Your code takes the recorded steps\. Not compared: 1\.\n$/);
  const renamed = endpoint.serve(
    "/renamed",
    serve(async (context: Context) => {
      const stock = await context.run("reserve", () => 7);
      await Promise.all([
        context.run("left", () => stock + 1),
        context.run("right", () => stock + 2),
      ]);
      await context.sleep("wait", 1);
      await context.run("bill", () => 0);
    }, options as object),
  );
  const differs = await terminal.run(["replay", "run.json", "--to", renamed], 6);
  assert.match(differs.errors, /it differs at step 5/);
  const fewer = endpoint.serve(
    "/fewer",
    serve(async (context: Context) => {
      await context.run("reserve", () => 7);
      await context.sleep("pause", 1);
      await context.run("charge", () => 0);
    }, options as object),
  );
  const earlier = await terminal.run(["replay", "run.json", "--to", fewer], 6);
  assert.match(earlier.errors, /it differs at step 2/);
});

test("a run that failed fails again, until the code is repaired", async () => {
  let isBroken = true;
  const options = { client: { baseUrl: url, token: devCredentials().token }, receiver: false };
  const path = endpoint.serve(
    "/broken",
    serve(async (context: Context) => {
      await context.run("reserve", () => 7);
      await context.run("charge", () => {
        if (isBroken) throw new Error("no card");
      });
    }, options as object),
  );
  const run = (await terminal.says("trigger", path, "--retries", "0", "--quiet")).trim();
  await until(
    async () => (await terminal.says("runs", "list", "--run-state", "RUN_FAILED")).includes(run),
    "the run has failed",
  );
  await terminal.says("export", run, "--out", "failed.json");
  const again = await terminal.says("replay", "failed.json", "--to", path);
  assert.match(again, /^step 1 +Run reserve: same$/m);
  assert.match(again, /^end +the end, RUN_FAILED: same$/m);
  isBroken = false;
  const repaired = await terminal.run(["replay", "failed.json", "--to", path, "--json"], 6);
  assert.match(repaired.output, /"answered":"Run charge"/);
  assert.match(repaired.errors, /it differs at the end/);
});

test("a file that is none is refused", async () => {
  writeFileSync(join(folder, "other.json"), "{}");
  const refused = await terminal.run(["replay", "other.json", "--to", destination.url], 1);
  assert.match(refused.errors, /other.json is no incident file/);
  const missing = await terminal.run(["replay", "other.json"], 1);
  assert.match(missing.errors, /--to is missing|no incident file/);
});
