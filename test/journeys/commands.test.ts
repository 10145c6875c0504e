/** The commands over the API, each a process of its own, against one service. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serve } from "../../sdk/src/sdk.ts";
import OUTPUTS from "../docs/command-outputs.json" with { type: "json" };
import { playExamples, shapeOf } from "../docs/command-examples.ts";
import { Command } from "../support/command.ts";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { Terminal } from "../support/terminal.ts";
import { WorkflowEndpoint } from "../support/workflow-endpoint.ts";

const folder = mkdtempSync(join(tmpdir(), "postrider-commands-"));
const data = join(folder, ".postrider");
const endings: (() => unknown)[] = [];
let url = "";
let destination: DestinationServer;
let terminal: Terminal;

before(async () => {
  const scope = { after: (end: () => unknown) => void endings.push(end) };
  destination = await DestinationServer.startFor(scope, ({ url: path }) =>
    path.startsWith("/fail") ? { status: 500, body: '{"message":"no stock"}' } : {},
  );
  const service = Command.serve(scope, ["--data", data], {}, "dev");
  url = await service.url();
  terminal = new Terminal(folder);
});

after(async () => {
  for (const end of endings.toReversed()) await end();
  rmSync(folder, { recursive: true, force: true });
});

test("every example of the table works, and prints what the reference shows", async (t) => {
  let tried = 0;
  for await (const { name, output } of playExamples(t)) {
    tried += 1;
    const recorded = (OUTPUTS as Readonly<Record<string, string>>)[name];
    const [shape, expected] = [output, recorded ?? ""].map(shapeOf);
    const isByRandomId = name === "account list";
    assert.deepEqual(
      isByRandomId ? shape!.split("\n").toSorted() : shape,
      isByRandomId ? expected!.split("\n").toSorted() : expected,
      `${name}: npm run recording`,
    );
  }
  assert.ok(tried > 60);
});

test("a message is published, found by its last letters and shown with its attempts", async () => {
  const retries = ["--retries", "1", "--retry-delay", "10"];
  const labels = ["--label", "one", "--label", "two", "--quiet"];
  const message = [`${destination.url}/fail`, "--body", '{"a":1}', "-H", "X-Own: 1"];
  const published = await terminal.says("publish", ...message, ...retries, ...labels);
  const id = published.trim();
  assert.match(id, /^msg_\w{26}$/);
  await terminal.run(["publish", `${destination.url}/ok`, "--wait"]);
  await destination.received("/fail", 2);
  const [request] = destination.to("/fail");
  assert.equal(request?.headers["x-own"], "1");
  assert.equal(request?.headers["content-type"], "application/json");
  const waiting = await terminal.shell(
    `until postrider dlq list --label one --quiet | grep -q -; do :; done`,
  );
  assert.equal(waiting.errors.includes("postrider:"), false);
  const shown = await terminal.says("show", id.slice(-8));
  assert.match(shown, new RegExp(`^message +${id}$`, "m"));
  assert.match(shown, /^state +FAILED$/m);
  assert.match(shown, /^labels +one, two$/m);
  assert.match(shown, /^ {2}attempt 2 .* 500 /m);
  const listed = await terminal.says("messages", "--label", "two", "--state", "failed");
  assert.match(listed, new RegExp(`^MESSAGE +STATE .*\n${id} +FAILED `));
  const [entry] = (await terminal.says("logs", "--json", "--limit", "1", "--label", "one"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { messageId: string });
  assert.equal(entry?.messageId, id);
  const retried = await terminal.says("retry", id);
  assert.match(retried, new RegExp(`^${id} is sent again as msg_\\w{26}\n$`));
});

test("a message that fails while the command waits is exit code 6", async () => {
  const words = ["publish", `${destination.url}/fail`, "--retries", "0", "--wait"];
  const { errors } = await terminal.run(words, 6);
  assert.match(errors, /^postrider: msg_\w{26} is FAILED: status 500$/m);
});

test("refusals name the field and the hint, and each kind has its exit code", async () => {
  const badHeader = await terminal.run(["publish", destination.url, "--delay", "5x"], 1);
  assert.match(badHeader.errors, /^postrider: .*\n {2}field: Svc-Delay$/m);
  const asJson = await terminal.run(["publish", destination.url, "--delay", "5x", "--json"], 1);
  assert.equal((JSON.parse(asJson.errors) as { field: string }).field, "Svc-Delay");
  const noServer = await terminal.run(
    ["status", "--server", `http://127.0.0.1:${await freePort()}`],
    3,
  );
  assert.match(noServer.errors, /did not answer \(ECONNREFUSED\)\n {2}hint: is the server running/);
  const wrong = await terminal.run(["status", "--token", "wrong"], 4);
  assert.match(wrong.errors, /other users of this machine can read --token/);
  const far = await terminal.run(["status", "--server", "https://postrider.invalid"], 4);
  assert.match(far.errors, /a token for https:\/\/postrider\.invalid is needed/);
  const none = await terminal.run(["queues", "show", "nothing"], 5);
  assert.equal(none.errors, "postrider: queue nothing not found\n");
  const noGroup = await terminal.run(["publish", "nowhere"], 5);
  assert.match(
    noGroup.errors,
    /^postrider: topic nowhere not found\n {2}hint: a URL begins with http/,
  );
  await terminal.run(["show", "zzzzzz"], 5);
  await terminal.run(["show", "zz"], 5);
  await terminal.run(["publish"], 1);
  await terminal.run(["publish", destination.url, "--retries", "many"], 1);
  await terminal.run(["cancel"], 1);
  const unasked = await terminal.run(["cancel", "--all", "--label", "none-has-this"], 0);
  assert.match(unasked.output, /There is no such message/);
});

test("a read-only token may ask for all that is only read", async () => {
  const add = ["tokens", "add", "reader", "--scope", "read-only", "--quiet"];
  const token = (await terminal.says(...add)).trim();
  const reader = new Terminal(folder, { POSTRIDER_URL: url, POSTRIDER_TOKEN: token });
  await reader.run(["publish", destination.url], 4);
  await terminal.run(["publish", `${destination.url}/fail`, "--retries", "0", "--wait"], 6);
  const { output } = await reader.run(["status"]);
  assert.match(output, /^token +read-only$[\s\S]*^dead letters +[1-9]\d* or more$/m);
  const lists = ["messages", "logs", "runs", "dlq", "schedules", "queues", "groups", "flow"];
  for (const list of lists) await reader.run([list]);
  assert.match((await reader.run(["dlq", "groups"])).output, /no stock/);
});

test("letters that several ids end with are refused, with those ids", async () => {
  for (const id of ["one-order-77", "two-order-77"]) {
    await terminal.run(["trigger", `${destination.url}/fail`, "--run-id", id]);
  }
  const { errors } = await terminal.run(["show", "order-77"], 5);
  assert.match(errors, /^postrider: 2 ids end with order-77: \w+-order-77, \w+-order-77\n/);
  assert.match(await terminal.says("cancel", "one-order-77"), /is canceled/);
});

test("messages of a file are stored in requests of 100, and what was refused is named", async () => {
  const lines = Array.from({ length: 250 }, (_, n) =>
    JSON.stringify({ url: `${destination.url}/batch`, body: { n }, label: "batch" }),
  );
  writeFileSync(join(folder, "many.jsonl"), lines.join("\n"));
  assert.equal(await terminal.says("batch", "many.jsonl"), "250 messages stored\n");
  await destination.received("/batch", 250);
  const array = JSON.stringify([{ url: "ftp://x" }, { url: `${destination.url}/b`, body: "b" }]);
  writeFileSync(join(folder, "array.json"), array);
  const { errors } = await terminal.run(["batch", "array.json"], 1);
  assert.match(errors, /^message 1: .*\n.*1 message refused$/m);
  const skipped = await terminal.run(
    ["batch", "-", "--skip", "249", "--quiet"],
    0,
    lines.join("\n"),
  );
  assert.match(skipped.output, /^msg_\w{26}\n$/);
  const limited = await terminal.run(["messages", "--label", "batch", "--limit", "120"]);
  assert.equal(limited.output.trim().split("\n").length, 121);
  assert.match(limited.errors, /only the first 120 are shown/);
  const all = await terminal.says("messages", "--label", "batch", "--limit", "0", "--quiet");
  assert.equal(all.trim().split("\n").length, 251);
  // A reader that has seen enough ends the command.
  const { errors: none } = await terminal.shell(
    "set -o pipefail; postrider logs --limit 0 --json | head -n 1 > first.json",
  );
  assert.equal(none, "");
});

test("the log is followed until Ctrl-C", async () => {
  const command = new Command(["logs", "--follow", "--label", "followed", "--server", url]);
  await until(async () => {
    await terminal.run(["publish", `${destination.url}/followed`, "--label", "followed"]);
    return / DELIVERED +POST \S+\/followed +200 +\d+ ms\n/.test(command.output);
  }, "an entry is printed");
  command.signal("SIGINT");
  assert.equal(await command.ends(), "SIGINT");
  assert.equal(command.errors, "");
});

test("a run is followed to its end, and an event resumes it", async () => {
  const endpoint = await WorkflowEndpoint.start();
  endings.push(() => endpoint.close());
  const workflow = endpoint.serve(
    "/order",
    serve(
      async (context) => {
        await context.run("charge", () => 42);
        await context.waitForEvent("packed", "packed-7", { timeout: "1h" });
        return "done";
      },
      {
        receiver: false,
        url: `${endpoint.url}/order`,
        client: { baseUrl: url, token: devToken() },
      },
    ),
  );
  const following = terminal.says("trigger", workflow, "--body", '{"n":1}', "--follow");
  await terminal.shell(
    "until postrider notify packed-7 --body '{}' | grep -q notified; do :; done",
  );
  const output = await following;
  assert.match(output, /^wfr_\S+ {2}started\n/);
  assert.match(output, /^ {2}✓ charge$/m);
  assert.match(output, /^ {2}✓ packed \(event packed-7\)$/m);
  assert.match(output, /^ {2}RUN_SUCCESS in .* http:\/\/127\.0\.0\.1:\d+\/runs\/wfr_/m);
  const runs = await terminal.says("runs", "--run-state", "RUN_SUCCESS");
  assert.match(runs, /^RUN +STATE +STARTED/);
  const failed = await terminal.run(["trigger", destination.url, "--retries", "0", "--follow"], 6);
  const [, runId = ""] = /^(wfr_\S+)/.exec(failed.output) ?? [];
  assert.match(await terminal.says("show", runId), /^ {2}RUN_FAILED/m);
  assert.match(await terminal.says("runs", "resume", runId), /^1 new run started: wfr_/);
});

test("who follows a run whose endpoint is down is told why nothing happens", async () => {
  const trigger = `trigger http://127.0.0.1:${await freePort()} --run-id wfr_down --follow`;
  const { output } = await terminal.shell(
    `postrider ${trigger} --retries 1 --retry-delay 600000 | while read -r line; do
       echo "$line"
       case "$line" in *↻*|*RUN_FAILED*) postrider cancel wfr_down ;; esac
     done`,
  );
  assert.match(output, /^↻ next step connection refused.* \(next attempt in \d.*\)$/m);
  assert.match(output, /^RUN_CANCELED /m);
});

test("a profile is saved for its owner alone, and its token is sent to its server alone", async () => {
  const token = join(folder, "login-token");
  writeFileSync(token, `${devToken()}\n`);
  const words = ["login", url, "--token-file", token, "--profile", "work"];
  assert.match(await terminal.says(...words), /^Signed in to http:/);
  const path = join(folder, ".config/postrider/profiles.json");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.ok(readFileSync(path, "utf8").includes(devToken()));
  const elsewhere = new Terminal(join(folder, ".config"), { HOME: folder });
  await elsewhere.run(["queues", "--profile", "work"]);
  const other = ["queues", "--profile", "work", "--server", "https://postrider.invalid"];
  assert.match((await elsewhere.run(other, 4)).errors, /a token for .* is needed/);
  await elsewhere.run(["queues", "--profile", "home"], 5);
  await elsewhere.run(["login", url, "--token-file", "-"], 4, "wrong");
  await terminal.run(["logout", "--profile", "work"]);
  await elsewhere.run(["queues", "--profile", "work"], 5);
});

test("a terminal's words are completed from the table", async () => {
  const script = `
    eval "$(postrider completion bash)"
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _postrider; echo "\${COMPREPLY[@]}"; }
    try postrider sched; try postrider queues re; try postrider publish http://x --retr; try postrider serve --dat
  `;
  assert.deepEqual((await terminal.shell(script)).output.trim().split("\n"), [
    "schedules",
    "resume",
    "--retries --retry-delay",
    "--data --database-url --database-schema",
  ]);
  assert.match(await terminal.says("completion", "fish"), /publish/);
  await terminal.run(["completion", "tcsh"], 1);
});

test("help shows what concerns a command, with its example", async () => {
  const help = await terminal.says("publish", "--help");
  assert.match(help, /--retries <count>/);
  assert.match(help, /Server and output:\n +--server <url>/);
  assert.match(help, /Example:\n {2}postrider publish https:/);
  assert.ok(!help.includes("--database-url"));
  assert.match(await terminal.says("help", "serve"), /--database-url/);
});

test("the data of dev is deleted only when no server uses it", async () => {
  const control = join(folder, ".postrider", "control.json");
  const written = readFileSync(control);
  for (const text of [written, '{"url":"http://127.0.0.1:1","secret":""}']) {
    writeFileSync(control, text);
    const refused = await terminal.run(["reset", "--yes"], 1);
    assert.match(refused.errors, /another postrider is using this data/);
  }
  writeFileSync(control, written);
  await terminal.run(["reset", "--data", join(folder, "nothing")], 5);
  const other = join(folder, "other");
  const command = new Command(["dev", "--port", "0", "--log", "json", "--data", other]);
  await command.stopWhenReady();
  await terminal.run(["reset", "--data", other], 1);
  assert.ok(existsSync(join(other, "postrider.db")));
  await terminal.run(["reset", "--data", other, "--yes"]);
  assert.ok(!existsSync(other));
});

function devToken(): string {
  const named = { UserID: "defaultUser", Password: "defaultPassword" };
  return Buffer.from(JSON.stringify(named)).toString("base64");
}
