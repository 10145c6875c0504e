/** `postrider account`, `pause` and `resume`, with and without a service that holds the data. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { Command } from "../support/command.ts";
import { basic } from "../support/console-call.ts";
import { call } from "../support/http-call.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postrider-account-"));
  folders.push(folder);
  return folder;
}

/** A service that is gone when the test is over, however it ended. */
function serve(context: TestContext, args: readonly string[], environment = {}): Command {
  const server = new Command(["serve", "--host", "127.0.0.1", "--port", "0", ...args], environment);
  context.after(() => server.signal("SIGKILL"));
  return server;
}

/** Runs a command to its end and answers what it printed. */
async function run(...args: readonly string[]): Promise<string> {
  const command = new Command(args);
  assert.equal(await command.ends(), 0, command.errors);
  return command.output;
}

async function ask(...args: readonly string[]): Promise<Record<string, unknown>> {
  return JSON.parse(await run(...args, "--json")) as Record<string, unknown>;
}

test("accounts are managed through the running service, and on the store when none runs", async (context) => {
  const data = freshFolder();
  const store = ["--data", data];
  const flags = ["--console-port", "0", ...store];
  const server = serve(context, flags);
  const [, url] = await server.says(/"url":"([^"]+)"/);
  const [, password] = await server.says(/^POSTRIDER_ADMIN_PASSWORD=(\S+)$/m);
  assert.match(server.errors, /^POSTRIDER_ADMIN_USER=admin$/m);
  assert.equal(statSync(join(data, "control.json")).mode & 0o777, 0o600);

  const created = await ask("account", "create", "a@example.com", "--plan", "paid", ...store);
  const id = created["id"] as string;
  const token = created["token"] as string;
  assert.equal((await call(url!, "GET", "/v2/logs", { token })).status, 200);
  assert.equal((await call(url!, "GET", "/v2/svc/users")).status, 404);
  assert.match(
    await run("account", "list", ...store),
    new RegExp(`^${id} +a@example\\.com +paid +active$`, "m"),
  );
  const shown = await run("account", "show", id, ...store);
  assert.match(shown, /^max_topics +100$/m);
  assert.doesNotMatch(shown, /^(token|password|read_only_token)/m);
  await run("account", "suspend", id, ...store);
  assert.equal((await call(url!, "GET", "/v2/logs", { token })).status, 403);
  await run("account", "activate", id, ...store);
  assert.equal((await call(url!, "GET", "/v2/logs", { token })).status, 200);
  const rotated = await ask("account", "rotate", id, ...store);
  assert.equal((await call(url!, "GET", "/v2/logs", { token })).status, 401);

  server.signal("SIGTERM");
  assert.equal(await server.ends(), 0);
  assert.equal(existsSync(join(data, "control.json")), false);

  await run("account", "plan", id, "svc_fixed_1m", ...store);
  assert.equal((await ask("account", "limit", id, "max_topics", "7", ...store))["max_topics"], 7);
  // What a killed service leaves behind leads nowhere.
  writeFileSync(join(data, "control.json"), '{"url":"http://127.0.0.1:9","secret":"x"}');
  const back = await ask("account", "limit", id, "max_topics", "plan", ...store);
  assert.deepEqual([back["max_topics"], back["reserved_type"]], [1_000, "svc_fixed_1m"]);

  const again = serve(context, flags);
  const [, newUrl] = await again.says(/"url":"([^"]+)"/);
  assert.ok(!again.errors.includes("ADMIN_PASSWORD"));
  const options = { token: rotated["token"] as string };
  assert.equal((await call(newUrl!, "GET", "/v2/logs", options)).status, 200);
  again.signal("SIGTERM");
  await again.ends();
  assert.ok(password!.length >= 24);
});

test("mistakes are told in a sentence", async () => {
  const data = freshFolder();
  for (const [args, says] of [
    [["account", "list", "--data", data], /there is no data in/],
    [["account", "create", "--data", data], /missing required argument 'customer'/],
    [["account", "create", "a", "--plan", "gold", "--data", data], /Allowed choices are free/],
    [["account", "limit", "a", "max_topic", "1", "--data", data], /there is no data/],
    [["account", "destroy", "a"], /unknown command 'destroy'/],
  ] as const) {
    const command = new Command(args);
    assert.equal(await command.ends(), 1, args.join(" "));
    assert.match(command.errors, says);
    assert.ok(!command.errors.includes("    at "), command.errors);
  }
  assert.equal(existsSync(join(data, "postrider.db")), false);
});

test("a given password is the operator's, and is neither drawn nor shown", async (context) => {
  const environment = { POSTRIDER_ADMIN_USER: "root", POSTRIDER_ADMIN_PASSWORD: "given-password" };
  const server = serve(context, ["--data", freshFolder()], environment);
  const [, url] = await server.says(/"url":"([^"]+)"/);
  assert.ok(!server.errors.includes("ADMIN"));
  for (const [as, status] of [
    [["root", "given-password"], 200],
    [["admin", "given-password"], 401],
    [["admin", "postrider"], 401],
  ] as const) {
    const headers = { Authorization: basic(as) };
    assert.equal((await call(url!, "GET", "/v2/svc/users", { headers })).status, status);
  }
  server.signal("SIGTERM");
  await server.ends();
});

test("with PostgreSQL the store itself is asked", { skip: postgresMissing() }, async (context) => {
  const database = await freshDatabase();
  const store = ["--database-url", database.url, "--secret-key", "a-secret-key-of-the-cluster"];
  const server = serve(context, store);
  const [, url] = await server.says(/"url":"([^"]+)"/);
  const { id, token } = await ask("account", "create", "a@example.com", ...store);
  assert.equal((await call(url!, "GET", "/v2/logs", { token: token as string })).status, 200);
  assert.match(await run("pause", ...store), /Deliveries are paused; 1 node has stopped/);
  assert.match(await run("resume", "--account", id as string, ...store), /Deliveries are resumed/);
  const wrong = [...store.slice(0, 3), "another-key-that-does-not-open"];
  const refused = new Command(["account", "create", "b@example.com", ...wrong]);
  assert.equal(await refused.ends(), 1);
  assert.match(refused.errors, /the secret key does not decrypt the stored keys/);
  server.signal("SIGTERM");
  await server.ends();
  await database.drop();
});
