/** The first minutes at a terminal: the lines and keys of dev, the samples of init, and doctor. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../house/sources.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freePort } from "../support/free-port.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { keysWork } from "../support/keys-of-dev.ts";
import { postgresMissing, freshDatabase } from "../support/postgres-url.ts";
import { PROGRAM } from "../support/program.ts";
import { Screen } from "../support/screen.ts";
import { DEV_TOKEN } from "../support/service-harness.ts";
import { Terminal } from "../support/terminal.ts";
import { until } from "../support/eventually.ts";
import { userEnvironment } from "../support/user-environment.ts";

const SOURCE = [process.execPath, PROGRAM];

test("the keys of dev send, show, retry, open and quit", async (t) => {
  await keysWork(t, freshFolder(t), { program: SOURCE, environment: userEnvironment() });
});

test("a person is asked for a token, which is not shown, and before something is lost", async (t) => {
  const folder = freshFolder(t);
  const service = Command.serve(t, ["--data", join(folder, "data")], {}, "dev");
  const url = await service.url();
  const login = new Screen(t, [...SOURCE, "login", url], folder, {
    HOME: folder,
    XDG_CONFIG_HOME: "",
  });
  await login.shows(/Token for http:\S+: /);
  login.press(`${DEV_TOKEN}\r`);
  await login.shows(/Signed in to http:\S+ as defaultUser \(full\)/);
  assert.equal(await login.ended, 0);
  assert.ok(!login.raw.includes(DEV_TOKEN));

  const home = { HOME: folder, XDG_CONFIG_HOME: "" };
  const terminal = new Terminal(folder);
  await terminal.run(["publish", "http://localhost:1/later", "--delay", "1h", "--label", "kept"]);
  for (const [key, code, count] of [
    ["n\r", 1, 1],
    ["\u0003", 130, 1],
    ["y\r", 0, 0],
  ] as const) {
    const screen = new Screen(t, [...SOURCE, "cancel", "--label", "kept"], folder, home);
    await screen.shows(/cancel 1 message\? \[y\/N\] /);
    screen.press(key);
    assert.equal(await screen.ended, code);
    const left = ["cancel", "--label", "kept", "--dry-run"];
    assert.equal((await terminal.json<{ count: number }>(...left)).count, count);
  }
  const unasked = await terminal.run(["queues", "set", "q"]);
  assert.equal(unasked.output, "The queue is set.\n");
  const refused = await terminal.run(["queues", "delete", "q"], 1);
  assert.match(refused.errors, /delete the queue q and cancel its 0 messages: give --yes/);
});

test("without a terminal the lines are plain, with the address of each message", async (t) => {
  const folder = freshFolder(t);
  const port = String(await freePort());
  const command = new Command(["dev", "--port", port, "--data", join(folder, ".postrider")]);
  t.after(() => command.signal("SIGKILL"));
  await command.says(/POSTRIDER_NEXT_SIGNING_KEY/);
  await new Terminal(folder).run([
    "publish",
    `http://127.0.0.1:${port}/echo/nowhere?status=404`,
    "--retries",
    "0",
  ]);
  await command.says(
    /404 .* dead-lettered \(is the path right\?\) {2}http:\/\/127\.0\.0\.1:\d+\/messages\/msg_\w{26}\n/,
  );
  assert.ok(!command.output.includes("\u001b"));
  assert.ok(!command.output.includes("Waiting for messages"));
  await command.stop();
});

for (const framework of ["none", "express", "fastify", "hono"]) {
  test(`the samples of init receive a message and serve a workflow: ${framework}`, async (t) => {
    const folder = freshFolder(t);
    const service = Command.serve(t, ["--data", join(folder, ".postrider")], {}, "dev");
    const url = await service.url();
    const terminal = new Terminal(folder);
    const manifest = framework === "none" ? {} : { dependencies: { [framework]: "*" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, ".env"), `export POSTRIDER_URL=${url}`);
    await terminal.run(["init"]);
    const environment = readFileSync(join(folder, ".env"), "utf8");
    assert.ok(
      environment.startsWith(`export POSTRIDER_URL=${url}\nPOSTRIDER_TOKEN=${DEV_TOKEN}\n`),
    );
    assert.match(
      await terminal.says("init"),
      /kept {4}\.env {2}needs no line\nkept {4}postrider-sample/,
    );

    const port = String(await freePort());
    const sample = join(folder, "postrider-sample.mjs");
    writeFileSync(sample, readFileSync(sample, "utf8").replaceAll("3000", port));
    linkPackages(folder);
    const app = spawn(process.execPath, ["--env-file=.env", "--import", "./sources.mjs", sample], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => app.kill("SIGKILL"));
    let output = "";
    app.stdout.on("data", (chunk) => (output += String(chunk)));
    const at = `http://localhost:${port}/api`;
    await until(() => answers(at), "the application listens");
    await terminal.run(["publish", `${at}/receive`, "--body", "hi", "--wait"]);
    assert.match(output, /received hi/);
    const run = await terminal.says(
      "trigger",
      `${at}/workflow`,
      "--body",
      '{"user":42}',
      "--follow",
    );
    assert.match(run, /✓ look up\n[\s\S]*✓ greet\n[\s\S]*RUN_SUCCESS/);
    assert.match(output, /hello, user 42/);
  });
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { method: "POST" }).then(
    () => true,
    () => false,
  );
}

/** The packages of the tests; those of the SDK are its sources. */
function linkPackages(folder: string): void {
  symlinkSync(join(ROOT, "test/node_modules"), join(folder, "node_modules"));
  writeFileSync(
    join(folder, "sources.mjs"),
    `import { registerHooks } from "node:module";
registerHooks({
  resolve(name, context, next) {
    const [, adapter] = /^@postrider\\/sdk(?:\\/(\\w+))?$/.exec(name) ?? [];
    if (!name.startsWith("@postrider/sdk")) return next(name, context);
    const file = adapter === undefined ? "sdk.ts" : "adapters/" + adapter + ".ts";
    return { url: new URL(file, "file://${ROOT}sdk/src/").href, shortCircuit: true };
  },
});
`,
  );
}

test("doctor says what is wrong and what to do, and fails only for problems", async (t) => {
  const folder = freshFolder(t);
  const terminal = new Terminal(folder);
  const data = join(folder, "data");
  const port = String(await freePort());
  const free = ["doctor", "--port", port, "--host", "127.0.0.1", "--min-free-disk", "1MB"];
  assert.match(await terminal.says(...free, "--data", data), /✓ data +\S+ does not exist yet/);
  const service = Command.serve(t, ["--data", data]);
  const url = await service.url();
  chmodSync(join(data, "secret.key"), 0o644);
  const warned = await terminal.says(...free, "--data", data);
  assert.match(warned, /! data +other users can read secret\.key .*\n +→ chmod 600 /);
  assert.match(warned, /✓ database +SQLite [\d.]+, schema \d+/);
  chmodSync(join(data, "secret.key"), 0o600);
  const held = [
    "doctor",
    "--port",
    new URL(url).port,
    "--host",
    "127.0.0.1",
    "--data",
    data,
    "--min-free-disk",
    "1MB",
  ];
  assert.match(await terminal.says(...held), /✓ port +the server of this data runs at/);
  const elsewhere = await terminal.run([...held, "--data", folder], 1);
  assert.match(
    elsewhere.output,
    /✗ port +port \d+ on 127\.0\.0\.1 cannot be used \(EADDRINUSE\)\n +→ stop/,
  );
  const full = await terminal.run([...free, "--data", data, "--min-free-disk", "900TB"], 1);
  assert.match(full.output, /✗ space /);
  const destination = await DestinationServer.startFor(t, () => ({ status: 302 }));
  const refused = await terminal.run(
    [...free, "--data", data, "--destination", destination.url],
    1,
  );
  assert.match(refused.output, /✗ destination +.*loopback/);
  const allowed = ["--egress-allow", "127.0.0.1", "--destination", destination.url];
  const redirected = await terminal.says(...free, "--data", data, ...allowed, "--json");
  const findings = redirected
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Finding);
  assert.deepEqual(findings.at(-1)?.state, "warning");
  assert.match(findings.at(-1)?.advice ?? "", /redirects are not followed/);
  const unread = await terminal.run(
    [...free, "--data", data, ...allowed, "--egress-ca", "ca.pem"],
    1,
  );
  assert.match(unread.errors, /^postrider: egress-ca: .*ca\.pem/);
  const proxied = await terminal.says(...free, "--data", data, "--public-url", url);
  assert.match(proxied, /✓ proxy +it passes on bodies of 2 MB/);
});

interface Finding {
  readonly state: string;
  readonly advice?: string;
}

test("doctor reads PostgreSQL", { skip: postgresMissing() }, async (t) => {
  const database = await freshDatabase();
  t.after(() => database.drop());
  const terminal = new Terminal(freshFolder(t));
  const words = ["doctor", "--port", String(await freePort()), "--database-url", database.url];
  const { output } = await terminal.run(words, 1);
  assert.match(output, /✗ secret key/);
  const good = await terminal.says(...words, "--secret-key", "a-secret-key-of-the-cluster");
  assert.match(good, /✓ database +PostgreSQL \d+.*\n✓ schema +postrider is not there yet/);
  const away = words.with(words.length - 1, database.url.replace(/\/\w+$/, "/no_such_database"));
  assert.match((await terminal.run(away, 1)).output, /✗ database .*no_such_database/);
});

test("in a clone, npx finds the command", () => {
  const { stdout, status } = spawnSync("npx", ["--offline", "postrider", "--version"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(status, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});
