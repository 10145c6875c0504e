/** A move whose target has no room or no connection, or goes away: the source serves on, and the next run goes on. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { startCuttingProxy } from "../contract/postgres/cutting-proxy.ts";
import { AccountCalls } from "../support/account-calls.ts";
import { Command } from "../support/command.ts";
import { until } from "../support/eventually.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { freshDatabase, postgresMissing, withClient } from "../support/postgres-url.ts";
import { PROGRAM } from "../support/program.ts";
import { userEnvironment } from "../support/user-environment.ts";

const TOKEN = "token-of-a-moving-server-0123456789";
const SECRET_KEY = "the-secret-key-of-moves-0123456789";
const ENVIRONMENT = { POSTRIDER_TOKEN: TOKEN, POSTRIDER_SECRET_KEY: SECRET_KEY };
/** So many messages of 100 KB wait. */
const MESSAGES = 40;
/** Of a transaction that writes rows: its last ones. */
const WRITE = 4;
const GO_ON = /\n {2}hint: the server goes on as before; run the same command again/;

class Source {
  readonly command: Command;
  #calls: AccountCalls | undefined;
  #published = 0;

  constructor(t: TestContext, flags: readonly string[]) {
    this.command = Command.serve(t, flags, ENVIRONMENT);
  }

  async fill(): Promise<void> {
    this.#calls = new AccountCalls(await this.command.url(), TOKEN);
    for (let count = 0; count < MESSAGES; count++) await this.publish();
  }

  /** Which it accepts while it serves. */
  async publish(): Promise<void> {
    const later = { "Svc-Delay": "1h" };
    await this.#calls!.publish("http://example.com/later", later, "b".repeat(100_000));
    this.#published += 1;
  }

  /** Once its data is elsewhere it ends by itself, with everything that it had accepted. */
  async hasMoved(count: number): Promise<void> {
    assert.equal(await this.command.ends(), 0, this.command.errors);
    assert.equal(count, this.#published);
  }
}

function move(t: TestContext, words: readonly string[]): Command {
  const command = new Command(["move", ...words], ENVIRONMENT);
  t.after(() => command.signal("SIGKILL"));
  return command;
}

async function moved(t: TestContext, words: readonly string[]): Promise<void> {
  const command = move(t, words);
  assert.equal(await command.ends(), 0, command.errors);
}

async function failed(command: Command, says: RegExp): Promise<void> {
  assert.equal(await command.ends(), 1, command.errors);
  assert.match(command.errors, says);
  assert.match(command.errors, GO_ON);
  assert.doesNotMatch(command.errors, /\n {4}at /);
}

async function messagesIn(databaseUrl: string): Promise<number> {
  const sql = "SELECT count(*)::int AS count FROM postrider.messages";
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(sql);
    return rows[0]!.count;
  });
}

test("without a connection for it, and with only one", { skip: postgresMissing() }, async (t) => {
  const database = await freshDatabase();
  const [role, data] = [`mover_${randomUUID().replaceAll("-", "")}`, freshFolder(t)];
  const url = new URL(database.url);
  const name = url.pathname.slice(1);
  await withClient(database.url, (client) =>
    client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret' CONNECTION LIMIT 1;
      GRANT CREATE ON DATABASE ${name} TO ${role}`),
  );
  t.after(async () => {
    await withClient(database.url, (client) => client.query(`DROP OWNED BY ${role}`));
    await withClient(database.url, (client) => client.query(`DROP ROLE ${role}`));
    await database.drop();
  });
  [url.username, url.password] = [role, "secret"];
  const source = new Source(t, ["--data", data]);
  await source.fill();
  const other = new Client({ connectionString: url.href });
  await other.connect();
  const words = ["--data", data, "--to", url.href];
  const refused = move(t, words);
  assert.equal(await refused.ends(), 1);
  assert.match(refused.errors, /^postrider: PostgreSQL at .*: it has no connection left\. Raise/);
  await source.publish();
  await other.end();
  await moved(t, words);
  await source.hasMoved(await messagesIn(database.url));
});

/** A source that is full, and a target that can be held and cut off. */
async function behindProxy(t: TestContext) {
  const [database, data] = [await freshDatabase(), freshFolder(t)];
  const proxy = await startCuttingProxy(database.url);
  t.after(async () => {
    await proxy.close();
    await database.drop();
  });
  const source = new Source(t, ["--data", data]);
  await source.fill();
  return { database, data, proxy, source };
}

test("a target that goes away half-way", { skip: postgresMissing() }, async (t) => {
  const { database, data, proxy, source } = await behindProxy(t);
  const words = ["--data", data, "--to", proxy.url];
  // A write of rows in the midst of the copy waits, and the server goes away.
  const held = proxy.holdStatement(WRITE);
  const interrupted = move(t, words);
  await held.reached;
  proxy.shut();
  held.letGo();
  const says = /^postrider: PostgreSQL at 127\.0\.0\.1:\d+, .*: nothing listens .* correct --to /;
  await failed(interrupted, says);
  await source.publish();
  const again = move(t, words);
  assert.equal(await again.ends(), 1);
  assert.match(again.errors, says);
  await proxy.reopen();
  await moved(t, words);
  await source.hasMoved(await messagesIn(database.url));
});

test("Ctrl-C half-way says how to go on", { skip: postgresMissing() }, async (t) => {
  const { database, data, proxy, source } = await behindProxy(t);
  const held = proxy.holdStatement(WRITE);
  const words = ["--data", data, "--to", proxy.url];
  const interrupted = move(t, words);
  await held.reached;
  interrupted.signal("SIGINT");
  assert.equal(await interrupted.ends(), 130, interrupted.errors);
  assert.match(interrupted.errors, /^postrider: stopped by Ctrl-C\n/);
  assert.match(interrupted.errors, GO_ON);
  held.letGo();
  await source.publish();
  await moved(t, words);
  await source.hasMoved(await messagesIn(database.url));
});

const NAMESPACES = ["unshare", "--map-root-user", "--mount"] as const;
const [unshare, ...own] = NAMESPACES;
const cannotMount =
  spawnSync(unshare, [...own, "mount", "-t", "tmpfs", "none", "/mnt"]).status !== 0 &&
  "this user may mount no file system of its own";

/** The folder is gone with the processes that see it, so both runs of the command are in one. */
const ON_SMALL_DISK = `set -e
  mount -t tmpfs -o size=2m none "$DISK"
  "$NODE" "$PROGRAM" move --data "$DISK/data" --from "$FROM" || echo "ended with $?"
  read -r go
  mount -o remount,size=200m "$DISK"
  "$NODE" "$PROGRAM" move --data "$DISK/data" --from "$FROM"
  "$NODE" "$PROGRAM" query --data "$DISK/data" --csv "select count(*) as messages from history_messages"`;

test("a disk that is full", { skip: postgresMissing() || cannotMount }, async (t) => {
  const [database, folder] = [await freshDatabase(), freshFolder(t)];
  t.after(() => database.drop());
  const source = new Source(t, ["--database-url", database.url]);
  await source.fill();
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const names = { NODE: process.execPath, PROGRAM, DISK: disk, FROM: database.url };
  const env = { ...userEnvironment(), POSTRIDER_SECRET_KEY: SECRET_KEY, ...names };
  const shell = spawn(unshare, [...own, "sh", "-c", ON_SMALL_DISK], { env });
  t.after(() => shell.kill("SIGKILL"));
  let [output, errors] = ["", ""];
  shell.stdout.on("data", (chunk) => (output += String(chunk)));
  shell.stderr.on("data", (chunk) => (errors += String(chunk)));
  const ended = new Promise((resolve) => shell.once("close", resolve));
  await until(() => output.includes("ended with"), "the disk is full");
  assert.equal(output, "ended with 1\n");
  assert.match(errors, /^postrider: the database .* has no room: the disk is full\. Make room/);
  assert.match(errors, GO_ON);
  await source.publish();
  shell.stdin.write("go\n");
  assert.equal(await ended, 0, errors);
  const [, count] = /\nmessages\r\n(\d+)\r\n$/.exec(output) ?? [];
  await source.hasMoved(Number(count));
});
