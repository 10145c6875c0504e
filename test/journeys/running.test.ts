/** Starting, stopping and recovering, as an operator sees it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { call } from "../support/http-call.ts";

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postrider-run-"));
  folders.push(folder);
  return folder;
}

/** Asks the system for a free port. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("dev: the printed curl delivers a message, and each attempt is a line", async () => {
  const port = String(await freePort());
  const command = new Command(["dev", "--port", port, "--data", freshFolder(), "--log", "pretty"]);
  const [, curl] = await command.says(/^\s+(curl [\s\S]*?'\{"hello":"world"\}')$/m);
  assert.match(command.output, /kept between restarts/);
  for (const name of ["URL", "TOKEN", "CURRENT_SIGNING_KEY", "NEXT_SIGNING_KEY"]) {
    assert.match(command.output, new RegExp(`^    POSTRIDER_${name}=\\S+$`, "m"));
  }
  const { stdout } = await promisify(execFile)("sh", ["-c", `${curl} --silent`]);
  assert.match(stdout, /^\{"messageId":"msg_\w{26}","url":"\S+\/echo\/hello"\}$/);
  await command.says(/msg_\w{26} {2}POST \/echo\/hello +200 +\d+ ms {2}delivered/);

  const token = /POSTRIDER_TOKEN=(\S+)/.exec(command.output)?.[1] ?? "";
  const url = `http://127.0.0.1:${port}`;
  await call(url, "POST", `/v2/publish/${url}/echo/fail?times=1`, {
    token,
    headers: { "Svc-Retry-Delay": "50" },
  });
  await command.says(/POST \/echo\/fail\?times=1 +500 .* retry 1 of 5 in 0\.\d s/);
  await command.says(/200 .* delivered at attempt 2/);
  command.signal("SIGINT");
  assert.equal(await command.ends(), 0);
});

test("dev: a taken port means the next one, which it says", async (context) => {
  const port = await freePort();
  const blocker = createServer();
  await new Promise<void>((resolve) => {
    blocker.listen(port, "127.0.0.1", resolve);
  });
  context.after(() => blocker.close());
  const flags = ["--port", String(port), "--log", "pretty", "--data"];
  const command = new Command(["dev", ...flags, freshFolder()]);
  await command.says(new RegExp(`port ${port} is taken, so this is \\d+`));
  command.signal("SIGTERM");
  assert.equal(await command.ends(), 0);
  const server = new Command(["serve", "--host", "127.0.0.1", ...flags, freshFolder()]);
  assert.equal(await server.ends(), 1);
  assert.match(server.errors, new RegExp(`^postrider: port ${port} on 127.0.0.1 is taken`));
});

test("serve: credentials are said once, and what is private is refused", async () => {
  const data = freshFolder();
  const flags = ["serve", "--host", "127.0.0.1", "--port", "0", "--data", data];
  const first = new Command(flags);
  const ready = await first.says(/"url":"([^"]+)"/);
  const token = (await first.says(/^POSTRIDER_TOKEN=(\S+)$/m))[1]!;
  assert.match(first.errors, /^POSTRIDER_CURRENT_SIGNING_KEY=sig_\w{28}$/m);
  assert.equal(statSync(join(data, "secret.key")).mode & 0o777, 0o600);
  const url = ready[1]!;
  const refused = await call(url, "POST", "/v2/publish/http://127.0.0.1:9/", { token });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /loopback/);
  const echo = await call(url, "GET", "/echo/x");
  assert.equal(echo.status, 404);

  const second = new Command(flags);
  assert.equal(await second.ends(), 1);
  assert.match(second.errors, /^postrider: another postrider is using this data/);
  first.signal("SIGTERM");
  assert.equal(await first.ends(), 0);

  const again = new Command(flags);
  const [, newUrl] = await again.says(/"url":"([^"]+)"/);
  assert.ok(!again.errors.includes("POSTRIDER_TOKEN"));
  assert.equal((await call(newUrl!, "GET", "/v2/keys", { token })).status, 200);
  again.signal("SIGTERM");
  assert.equal(await again.ends(), 0);
});

test("serve: given credentials are taken, and dev's data is not", async () => {
  const data = freshFolder();
  const flags = ["--host", "127.0.0.1", "--port", "0", "--data", data];
  const environment = {
    POSTRIDER_TOKEN: "a-token-of-my-own",
    POSTRIDER_CURRENT_SIGNING_KEY: "sig_current_key_of_mine",
  };
  const command = new Command(["serve", ...flags], environment);
  const [, url] = await command.says(/"url":"([^"]+)"/);
  const keys = await call(url!, "GET", "/v2/keys", { token: "a-token-of-my-own" });
  assert.equal(keys.json["current"], "sig_current_key_of_mine");
  command.signal("SIGTERM");
  assert.equal(await command.ends(), 0);

  const dev = new Command(["dev", "--port", "0", "--data", freshFolder(), "--log", "json"]);
  await dev.says(/"ready"/);
  dev.signal("SIGTERM");
  await dev.ends();
  const wrong = new Command(["serve", ...flags.slice(0, 4), "--data", folders.at(-1)!]);
  assert.equal(await wrong.ends(), 1);
  assert.match(wrong.errors, /created by postrider dev/);
});

test("what was accepted survives a kill, and the next start says what it found", async () => {
  const destination = await DestinationServer.start(() => ({ delayMs: 60_000 }));
  const flags = ["dev", "--port", "0", "--data", freshFolder(), "--log", "json"];
  const first = new Command(flags);
  const [, url] = await first.says(/"url":"([^"]+)"/);
  const token = "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=";
  for (const path of ["/a", "/b"]) {
    await call(url!, "POST", `/v2/publish/${destination.url}${path}`, { token });
    await destination.received(path);
  }
  const delay = { "Svc-Delay": "1h" };
  await call(url!, "POST", `/v2/publish/${destination.url}/c`, { token, headers: delay });
  first.signal("SIGKILL");
  await first.ends();
  destination.respond = () => ({});
  const second = new Command(flags);
  await second.says(/recovered 2 messages that were being sent, \d+ waiting/);
  await destination.received("/a", 2);
  await destination.received("/b", 2);
  second.signal("SIGTERM");
  assert.equal(await second.ends(), 0);
  await destination.close();
});

test("a stop lets what is under way finish, and nothing is sent twice", async () => {
  const destination = await DestinationServer.start(() => ({ delayMs: 500 }));
  const flags = ["dev", "--port", "0", "--data", freshFolder(), "--log", "json"];
  const first = new Command(flags);
  const [, url] = await first.says(/"url":"([^"]+)"/);
  const token = "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=";
  await call(url!, "POST", `/v2/publish/${destination.url}/once`, { token });
  await destination.received("/once");
  first.signal("SIGTERM");
  assert.equal(await first.ends(), 0);
  assert.match(first.output, /"verdict":"delivered"/);
  const second = new Command(flags);
  await second.says(/"ready"/);
  second.signal("SIGTERM");
  assert.equal(await second.ends(), 0);
  assert.equal(destination.to("/once").length, 1);
  await destination.close();
});

test("settings: flags before environment before file, secrets masked, mistakes named", async () => {
  const file = join(freshFolder(), "config.json");
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

  writeFileSync(file, JSON.stringify({ prot: 1 }));
  for (const [args, says] of [
    [["serve", "--config", file], /prot is not a setting/],
    [["serve", "--prot", "1"], /unknown option '--prot'/],
    [["serve", "--port", "x"], /^postrider: port must be a port/],
    [["serve", "--egress-allow", "10.0.0.0/99"], /egress-allow .*10\.0\.0\.0\/99/],
    [["serve", "--database-url", "mysql://x"], /database-url must start with postgres/],
    [["serve", "--database-url", "postgres://x"], /secret-key/],
    [["serve", "--shutdown-grace", "soon"], /^postrider: shutdown-grace is not a duration/],
    [["serve", "--shutdown-grace", "2h"], /^postrider: shutdown-grace is longer than 1h/],
    [["sevre"], /unknown command 'sevre'/],
  ] as const) {
    const wrong = new Command([...args]);
    assert.equal(await wrong.ends(), 1, args.join(" "));
    assert.match(wrong.errors, says);
    assert.ok(!wrong.errors.includes("    at "), wrong.errors);
  }
});
