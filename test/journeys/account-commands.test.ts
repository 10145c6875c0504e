/** `postrider account`, `pause` and `resume`, with and without a service that holds the data. */
import assert from "node:assert/strict";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AccountCalls } from "../support/account-calls.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { Command } from "../support/command.ts";
import { callConsole } from "../support/console-call.ts";
import { call } from "../support/http-call.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

/** Runs a command to its end and answers what it printed. */
async function run(...args: readonly string[]): Promise<string> {
  const command = new Command(args);
  assert.equal(await command.ends(), 0, command.errors);
  return command.output;
}

async function ask(...args: readonly string[]): Promise<Record<string, string>> {
  return JSON.parse(await run(...args, "--json")) as Record<string, string>;
}

test("accounts are managed through the running service", async (t) => {
  const data = freshFolder(t);
  const store = ["--data", data];
  const server = Command.serve(t, ["--console-port", "0", ...store]);
  const url = await server.url();
  assert.equal(statSync(join(data, "control.json")).mode & 0o777, 0o600);

  const { id, token } = await ask("account", "create", "a@example.com", "--plan", "paid", ...store);
  const account = new AccountCalls(url, token!);
  assert.equal(await account.status("GET", "/v2/logs"), 200);
  assert.equal((await call(url, "GET", "/v2/svc/users")).status, 404);
  const listed = await run("account", "list", ...store);
  assert.match(listed, new RegExp(`^${id} +a@example\\.com +paid +active$`, "m"));
  const byName = new Command(["account", "show", "a@example.com", ...store]);
  assert.equal(await byName.ends(), 5);
  assert.match(byName.errors, /a@example\.com is not the id .*\n {2}hint: postrider account list/);
  const shown = await run("account", "show", id!, ...store);
  assert.match(shown, /^max_topics +100$/m);
  assert.doesNotMatch(shown, /^(token|password|read_only_token)/m);
  assert.equal(await run("account", "suspend", id!, ...store), "The account is suspended.\n");
  assert.equal(await account.status("GET", "/v2/logs"), 403);
  assert.equal(await run("account", "activate", id!, ...store), "The account is active.\n");
  const limited = await run("account", "limit", id!, "max_topics", "5", ...store);
  assert.equal(limited, "max_topics is now 5.\n");
  const freed = await run("account", "limit", id!, "max_parallelism", "none", ...store);
  assert.equal(freed, "max_parallelism is now not limited.\n");
  assert.equal(await account.status("GET", "/v2/logs"), 200);
  const rotated = await ask("account", "rotate", id!, ...store);
  assert.equal(await account.status("GET", "/v2/logs"), 401);
  const renewed = new AccountCalls(url, rotated["token"]!);
  assert.equal(await renewed.status("GET", "/v2/logs"), 200);
  await server.stop();
  assert.equal(existsSync(join(data, "control.json")), false);
});

test("accounts are managed on the store when no service runs", async (t) => {
  const data = freshFolder(t);
  const store = ["--data", data];
  await Command.serve(t, store).stopWhenReady();
  const { id, token } = await ask("account", "create", "a@example.com", ...store);
  await run("account", "plan", id!, "svc_fixed_1m", ...store);
  assert.equal((await ask("account", "limit", id!, "max_topics", "7", ...store))["max_topics"], 7);
  // What a killed service leaves behind leads nowhere.
  writeFileSync(join(data, "control.json"), '{"url":"http://127.0.0.1:9","secret":"x"}');
  const back = await ask("account", "limit", id!, "max_topics", "plan", ...store);
  assert.deepEqual([back["max_topics"], back["reserved_type"]], [1_000, "svc_fixed_1m"]);
  for (const [given, kept] of [
    ["upstash", "upstash"],
    ["server", null],
  ] as const) {
    assert.equal((await ask("account", "dialect", id!, given, ...store))["dialect"], kept);
  }
  const rotated = await ask("account", "rotate", id!, ...store);
  const server = Command.serve(t, store);
  const url = await server.url();
  assert.equal(await new AccountCalls(url, token!).status("GET", "/v2/logs"), 401);
  assert.equal(await new AccountCalls(url, rotated["token"]!).status("GET", "/v2/logs"), 200);
  await server.stop();
});

test("an account is deleted by its name, after a question or --yes", async (t) => {
  const data = freshFolder(t);
  const store = ["--data", data];
  await Command.serve(t, store).stopWhenReady();
  const { id, token } = await ask("account", "create", "a@example.com", ...store);
  const kept = await run("account", "delete", "a@example.com", "--dry-run", ...store);
  assert.equal(kept, "a@example.com has nothing.\n");
  const unsure = new Command(["account", "delete", id!, ...store]);
  assert.equal(await unsure.ends(), 1);
  assert.match(unsure.errors, /has nothing\. All of it is deleted.*give --yes to do it/);
  const marked = await run("account", "delete", "a@example.com", "--yes", ...store);
  assert.match(marked, /a@example\.com is marked\. No server runs/);
  assert.match(await run("account", "list", ...store), /a@example\.com +free +deleting/);
  const server = Command.serve(t, store);
  const account = new AccountCalls(await server.url(), token!);
  assert.equal(await account.status("GET", "/v2/logs"), 403);
  assert.match(await run("account", "delete", id!, "--yes", ...store), /is being deleted/);
  for (const [words, code, says] of [
    [["delete", "owner", "--yes"], 1, /cannot be deleted/],
    [["delete", "nobody", "--yes"], 5, /there is no account/],
    [["show", "nobody"], 5, /not found/],
  ] as const) {
    const refused = new Command(["account", ...words, ...store]);
    assert.equal(await refused.ends(), code);
    assert.match(refused.errors, says);
  }
  await server.stop();
});

test("the operator's password is generated at the first start, and shown only then", async (t) => {
  const flags = ["--data", freshFolder(t)];
  const first = Command.serve(t, flags);
  const [, password] = await first.says(/^POSTRIDER_ADMIN_PASSWORD=(\S+)$/m);
  assert.match(first.errors, /^POSTRIDER_ADMIN_USER=admin$/m);
  assert.ok(password!.length >= 24);
  const users = async (url: string): Promise<number> =>
    (await callConsole(url, "GET", "/v2/svc/users", { as: ["admin", password!] })).status;
  assert.equal(await users(await first.url()), 200);
  await first.stop();
  const again = Command.serve(t, flags);
  assert.equal(await users(await again.url()), 200);
  assert.ok(!again.errors.includes("ADMIN_PASSWORD"));
  await again.stop();
});

test("a mistaken command is answered with a sentence, and makes no data", async (t) => {
  const data = freshFolder(t);
  for (const [args, exitCode, says] of [
    [["account", "list", "--data", data], 5, /there is no database at/],
    [["account", "create", "--data", data], 1, /missing required argument 'customer'/],
    [["account", "create", "a", "--plan", "gold", "--data", data], 1, /Allowed choices are free/],
    [["account", "limit", "a", "max_topic", "1", "--data", data], 5, /there is no database/],
    [["account", "destroy", "a"], 1, /unknown command 'account destroy'/],
  ] as const) {
    const command = new Command(args);
    assert.equal(await command.ends(), exitCode, args.join(" "));
    assert.match(command.errors, says);
    assert.ok(!command.errors.includes("    at "), command.errors);
  }
  assert.equal(existsSync(join(data, "postrider.db")), false);
});

test("a given password is the operator's, and is neither drawn nor shown", async (t) => {
  const environment = { POSTRIDER_ADMIN_USER: "root", POSTRIDER_ADMIN_PASSWORD: "given-password" };
  const server = Command.serve(t, ["--data", freshFolder(t)], environment);
  const url = await server.url();
  assert.ok(!server.errors.includes("ADMIN"));
  for (const [as, status] of [
    [["root", "given-password"], 200],
    [["admin", "given-password"], 401],
    [["admin", "postrider"], 401],
  ] as const) {
    assert.equal((await callConsole(url, "GET", "/v2/svc/users", { as })).status, status);
  }
  await server.stop();
});

test("with PostgreSQL the store itself is asked", { skip: postgresMissing() }, async (t) => {
  const database = await freshDatabase();
  t.after(() => database.drop());
  const store = ["--database-url", database.url, "--secret-key", "a-secret-key-of-the-cluster"];
  const server = Command.serve(t, store);
  const url = await server.url();
  const { id, token } = await ask("account", "create", "a@example.com", ...store);
  assert.equal(await new AccountCalls(url, token!).status("GET", "/v2/logs"), 200);
  assert.match(await run("pause", ...store), /Deliveries are paused; 1 node has stopped/);
  assert.match(await run("resume", "--account", id!, ...store), /Deliveries are resumed/);
  const wrong = [...store.slice(0, 3), "another-key-that-does-not-open"];
  const refused = new Command(["account", "create", "b@example.com", ...wrong]);
  assert.equal(await refused.ends(), 1);
  assert.match(refused.errors, /the secret key does not decrypt the stored keys/);
  await server.stop();
});
