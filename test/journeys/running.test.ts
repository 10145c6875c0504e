/** Starting, stopping and recovering, as an operator sees it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { DEV_TOKEN } from "../support/service-harness.ts";
import { AccountCalls } from "../support/account-calls.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freePort } from "../support/free-port.ts";
import { SOURCE } from "../support/program.ts";

const OWN_TOKEN = "a-token-of-my-own";

/** The service as it is run on one's own machine. */
const dev = (t: TestContext, data: string): Command =>
  Command.serve(t, ["--data", data], {}, "dev");

test("dev, from its source: the printed curl delivers a message, and each attempt is a line", async (t) => {
  const port = String(await freePort());
  const args = ["dev", "--port", port, "--data", freshFolder(t), "--log", "pretty"];
  const command = new Command(args, {}, undefined, SOURCE);
  const [, curl] = await command.says(/^\s+(curl [\s\S]*?'\{"hello":"world"\}')$/m);
  assert.match(command.output, /kept between restarts/);
  for (const name of ["URL", "TOKEN", "CURRENT_SIGNING_KEY", "NEXT_SIGNING_KEY"]) {
    assert.match(command.output, new RegExp(`^    POSTRIDER_${name}=\\S+$`, "m"));
  }
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curl} --silent`]);
  assert.match(stdout, /^\{"messageId":"msg_\w{26}","url":"\S+\/echo\/hello"\}$/);
  await command.says(/msg_\w{26} {2}POST \/echo\/hello +200 +\d+ ms {2}delivered/);

  const [, token] = await command.says(/POSTRIDER_TOKEN=(\S+)/);
  const url = `http://127.0.0.1:${port}`;
  const account = new AccountCalls(url, token!);
  await account.publish(`${url}/echo/fail?times=1`, { "Svc-Retry-Delay": "50" });
  await command.says(/POST \/echo\/fail\?times=1 +500 .* retry 1 of 5 in 0\.\d s/);
  await command.says(/200 .* delivered at attempt 2/);
  command.signal("SIGINT");
  assert.equal(await command.ends(), 0);
});

test("dev: a taken port means the next one, which it says", async (t) => {
  const port = await freePort();
  const blocker = createServer();
  await new Promise<void>((resolve) => {
    blocker.listen(port, "127.0.0.1", resolve);
  });
  t.after(() => blocker.close());
  const flags = ["--port", String(port), "--log", "pretty", "--data"];
  const command = new Command(["dev", ...flags, freshFolder(t)]);
  await command.says(new RegExp(`port ${port} is taken, so this is \\d+`));
  await command.stop();
  const server = new Command(["serve", "--host", "127.0.0.1", ...flags, freshFolder(t)]);
  assert.equal(await server.ends(), 1);
  assert.match(server.errors, new RegExp(`^postrider: port ${port} on 127.0.0.1 is taken`));
});

test("serve: credentials are said once, at the first start", async (t) => {
  const data = freshFolder(t);
  const first = Command.serve(t, ["--data", data]);
  const [, token] = await first.says(/^POSTRIDER_TOKEN=(\S+)$/m);
  assert.match(first.errors, /^POSTRIDER_CURRENT_SIGNING_KEY=sig_\w{28}$/m);
  assert.equal(statSync(join(data, "secret.key")).mode & 0o777, 0o600);
  await first.stopWhenReady();
  const again = Command.serve(t, ["--data", data]);
  assert.equal(await new AccountCalls(await again.url(), token!).status("GET", "/v2/keys"), 200);
  assert.ok(!again.errors.includes("POSTRIDER_TOKEN"));
  await again.stop();
});

test("serve: private addresses are refused, and there is no echo", async (t) => {
  const server = Command.serve(t, ["--data", freshFolder(t)], { POSTRIDER_TOKEN: OWN_TOKEN });
  const account = new AccountCalls(await server.url(), OWN_TOKEN);
  await account.refused("POST /v2/publish/http://127.0.0.1:9/", 400, /loopback/);
  assert.equal(await account.status("GET", "/echo/x"), 404);
  await server.stop();
});

test("serve: a second service on the same data is refused", async (t) => {
  const data = freshFolder(t);
  const first = Command.serve(t, ["--data", data]);
  await first.url();
  const second = Command.serve(t, ["--data", data]);
  assert.equal(await second.refuses(), 1);
  assert.match(second.errors, /^postrider: another postrider is using this data/);
  await first.stop();
});

test("serve: given credentials are taken", async (t) => {
  const environment = {
    POSTRIDER_TOKEN: OWN_TOKEN,
    POSTRIDER_CURRENT_SIGNING_KEY: "sig_current_key_of_mine",
  };
  const command = Command.serve(t, ["--data", freshFolder(t)], environment);
  const keys = await new AccountCalls(await command.url(), OWN_TOKEN).get("/v2/keys");
  assert.equal(keys["current"], "sig_current_key_of_mine");
  await command.stop();
});

test("serve: data of dev is refused", async (t) => {
  const data = freshFolder(t);
  await dev(t, data).stopWhenReady();
  const served = Command.serve(t, ["--data", data]);
  assert.equal(await served.refuses(), 1);
  assert.match(served.errors, /created by postrider dev/);
});

test("what was accepted survives a kill, and the next start says what it found", async (t) => {
  const destination = await DestinationServer.startFor(t, () => ({ delayMs: 60_000 }));
  const data = freshFolder(t);
  const first = dev(t, data);
  const account = new AccountCalls(await first.url(), DEV_TOKEN);
  for (const path of ["/a", "/b"]) {
    await account.publish(`${destination.url}${path}`);
    await destination.received(path);
  }
  await account.publish(`${destination.url}/c`, { "Svc-Delay": "1h" });
  first.signal("SIGKILL");
  await first.ends();
  destination.respond = () => ({});
  const second = dev(t, data);
  await second.says(/recovered 2 messages that were being sent, \d+ waiting/);
  await destination.received("/a", 2);
  await destination.received("/b", 2);
  await second.stop();
});

test("a stop lets what is under way finish, and nothing is sent twice", async (t) => {
  const destination = await DestinationServer.startFor(t, () => ({ delayMs: 500 }));
  const data = freshFolder(t);
  const first = dev(t, data);
  await new AccountCalls(await first.url(), DEV_TOKEN).publish(`${destination.url}/once`);
  await destination.received("/once");
  await first.stop();
  assert.match(first.output, /"verdict":"delivered"/);
  await dev(t, data).stopWhenReady();
  assert.equal(destination.to("/once").length, 1);
});

test("settings: flags before environment before file, and secrets masked", async (t) => {
  const file = join(freshFolder(t), "config.json");
  writeFileSync(file, JSON.stringify({ port: 1, region: "FILE", "https-only": true }));
  const environment = {
    POSTRIDER_PORT: "2",
    POSTRIDER_SECRET_KEY: "a-very-secret-key-indeed",
  };
  const flags = ["serve", "--config", file, "--port", "3", "--print-config"];
  const shown = new Command(flags, environment);
  assert.equal(await shown.ends(), 0);
  assert.match(shown.output, /^port +3 +--port$/m);
  assert.match(shown.output, /^region +FILE +\S+config\.json$/m);
  assert.match(shown.output, /^https-only +true /m);
  assert.match(shown.output, /^host +0\.0\.0\.0 +default$/m);
  assert.match(shown.output, /^secret-key +\*+ +POSTRIDER_SECRET_KEY$/m);
  assert.ok(!shown.output.includes("a-very-secret"));
  const byEnvironment = new Command(["serve", "--config", file, "--print-config"], environment);
  assert.equal(await byEnvironment.ends(), 0);
  assert.match(byEnvironment.output, /^port +2 +POSTRIDER_PORT$/m);
});

test("settings: a mistake is named, without a stack", async (t) => {
  const file = join(freshFolder(t), "config.json");
  writeFileSync(file, JSON.stringify({ prot: 1 }));
  for (const [args, says] of [
    [["serve", "--config", file], /prot is not a setting/],
    [["serve", "--prot", "1"], /unknown option '--prot'/],
    [["serve", "--port", "x"], /^postrider: port must be a port/],
    [["serve", "--egress-allow", "10.0.0.0/99"], /egress-allow .*10\.0\.0\.0\/99/],
    [["serve", "--database-url", "mysql://x"], /database-url must start with postgres/],
    [["serve", "--database-url", "postgres://x"], /secret-key/],
    [["serve", "--shutdown-grace", "soon"], /^postrider: shutdown-grace is not a duration/],
    [["serve", "--drain", "2h"], /^postrider: drain is longer than 1h/],
    [["serve", "--node-name", "a b"], /^postrider: node-name must be 1 to 64 visible characters/],
    [
      ["serve", "--database-url", "postgres://me:a,b@one:5432,two:5432/name"],
      /^postrider: database-url must name one host/,
    ],
    [
      ["serve", "--require-synchronous-standby"],
      /^postrider: require-synchronous-standby needs PostgreSQL/,
    ],
    [["serve", "--shutdown-grace", "2h"], /^postrider: shutdown-grace is longer than 1h/],
    [["sevre"], /unknown command 'sevre'/],
  ] as const) {
    const wrong = new Command([...args]);
    assert.equal(await wrong.ends(), 1, args.join(" "));
    assert.match(wrong.errors, says);
    assert.ok(!wrong.errors.includes("    at "), wrong.errors);
  }
});

test("settings: a mistyped variable stops dev and serve, and no other command", async (t) => {
  const data = freshFolder(t);
  const mistyped = { POSTRIDER_DATABSE_URL: "postgres://me:hidden@db/mine" };
  for (const args of [["dev"], ["serve"], ["serve", "--print-config"]]) {
    const wrong = new Command([...args, "--data", data], mistyped);
    assert.equal(await wrong.refuses(), 1, args.join(" "));
    assert.match(
      wrong.errors,
      /^postrider: POSTRIDER_DATABSE_URL in the environment is not a setting; did you mean POSTRIDER_DATABASE_URL\?$/m,
    );
  }
  const migrate = new Command(["migrate", "--data", data], mistyped);
  assert.equal(await migrate.ends(), 0, migrate.errors);
});

test("settings: a removed one is a warning, and the service starts", async (t) => {
  const flags = ["--data", freshFolder(t), "--channels"];
  const server = Command.serve(t, flags, { POSTRIDER_CHANNELS: "true" });
  await server.says(/"--channels no longer has an effect: /);
  await server.says(/"POSTRIDER_CHANNELS no longer has an effect: /);
  await server.stopWhenReady();
  const help = new Command(["serve", "--help"]);
  assert.equal(await help.ends(), 0);
  assert.ok(!help.output.includes("channels"));
});
