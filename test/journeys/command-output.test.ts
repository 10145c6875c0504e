/** What commands print: for programs, for narrow terminals, and of text that others have written. */
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { devCredentials } from "../../src/operations/account/public-credentials.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { Terminal } from "../support/terminal.ts";

const endings: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => void endings.push(end) };
const folder = freshFolder(scope);
const terminal = new Terminal(folder);
const { token } = devCredentials();
let url = "";
let destination: DestinationServer;

/** A link, a color, a line of its own, and text that runs backwards. */
const HOSTILE =
  "a\u001b]8;;http://evil\u0007b\u001b[31mc\r\nd\u009b2Je\u202ef\u2066g\u061ch\u200fi";
const OBEYED =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

before(async () => {
  destination = await DestinationServer.startFor(scope, ({ url: path }) => {
    return path.startsWith("/fail") ? { status: 500, body: HOSTILE } : { body: HOSTILE };
  });
  const data = ["--data", join(folder, ".postrider")];
  url = await Command.serve(scope, data, {}, "dev").url();
});

after(async () => {
  for (const end of endings.toReversed()) await end();
});

function lines<Value>(output: string): Value[] {
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Value);
}

test("a terminal is shown no text of others that it would obey", async () => {
  const fail = `${destination.url}/fail?${encodeURIComponent("\u202e")}`;
  const sent = await terminal.says("publish", fail, "--retries", "0", "--body", HOSTILE, "--quiet");
  await terminal.run(["publish", `${destination.url}/\u202e\u2066`, "--retries", "0"]);
  await until(async () => (await terminal.says("dlq", "list", "--quiet")) !== "", "a dead letter");
  for (const command of [["show", sent.trim()], ["messages"], ["dlq", "list"]]) {
    const { output, errors } = await terminal.run(command);
    assert.doesNotMatch(output + errors, OBEYED, command.join(" "));
  }
  for (const command of [
    ["show", HOSTILE],
    ["queues", "show", HOSTILE],
    ["status", "--server", HOSTILE],
    ["replay", HOSTILE],
    [HOSTILE],
  ]) {
    const { output, errors } = await terminal.shell(
      `postrider ${command.map((word) => `'${word}'`).join(" ")} || true`,
    );
    assert.doesNotMatch(output + errors, OBEYED, JSON.stringify(command));
  }
});

test("with --json each thing is printed once, as it ended", async () => {
  const message = [`${destination.url}/ok`, "--wait", "--json"];
  const [published, ...others] = lines<{ state: string }>(
    await terminal.says("publish", ...message),
  );
  assert.deepEqual([published?.state, others.length], ["DELIVERED", 0]);
  const failing = [`${destination.url}/fail`, "--retries", "0", "--follow", "--json"];
  const { output, errors } = await terminal.run(["trigger", ...failing], 6);
  const [run, ...more] = lines<{ workflowState: string }>(output);
  assert.deepEqual([run?.workflowState, more.length], ["RUN_FAILED", 0]);
  assert.match((JSON.parse(errors) as { error: string }).error, /ended as RUN_FAILED/);

  const following = new Command(["logs", "--follow", "--json", "--server", url]);
  const isPrinted = async (): Promise<boolean> => {
    await terminal.says("publish", `${destination.url}/followed`);
    return following.output.split("\n").length > 3;
  };
  await until(isPrinted, "entries are printed");
  following.signal("SIGINT");
  await following.ends();
  const entries = lines<{ messageId: string }>(following.output);
  assert.ok(entries.every(({ messageId }) => messageId.startsWith("msg_")));
});

test("what is sent has the headers of the dialect that is named", async () => {
  const words = ["publish", `${destination.url}/dialect`, "--retries", "1"];
  await terminal.says(...words, "--dialect", "upstash");
  await terminal.says(...words);
  const [theirs, own] = await destination.received("/dialect", 2);
  assert.ok(theirs.headers["upstash-signature"] !== undefined);
  assert.equal(theirs.headers["svc-signature"], undefined);
  assert.notEqual(own?.headers["svc-signature"], undefined);
  const refused = await terminal.run([...words, "--dialect", "other"], 1);
  assert.match(refused.errors, /--dialect must be svc or upstash, but is other/);
});

test("a token that others can read is used with a warning", async () => {
  const file = join(folder, "token");
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  const words = ["queues", "--token-file", file, "--server", url];
  assert.doesNotMatch((await terminal.run(words)).errors, /can read/);
  chmodSync(file, 0o640);
  assert.match(
    (await terminal.run(words)).errors,
    /other users .* can read the token in .*chmod 600/,
  );
  const missing = await terminal.run(["queues", "--token-file", join(folder, "none")], 1);
  assert.match(missing.errors, /^postrider: --token-file \S+none cannot be read \(ENOENT\)\n$/);
  await terminal.says("login", url, "--token-file", "token", "--profile", "open");
  const profiles = join(folder, ".config/postrider/profiles.json");
  assert.doesNotMatch((await terminal.run(["queues", "--profile", "open"])).errors, /can read/);
  chmodSync(profiles, 0o644);
  assert.match((await terminal.run(["queues", "--profile", "open"])).errors, /can read the token/);
});
