/** A store that cannot be opened: one sentence that says what to do, no stack, and the end. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { listenFor } from "../support/listening.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { Command } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { freshDatabase, postgresMissing, withClient } from "../support/postgres-url.ts";

const NOISE = Buffer.from(Array.from({ length: 8192 }, (_, index) => (index * 7 + 3) % 251));

/** As the service creates its files: it has nothing to say about their modes. */
const OWN = { mode: 0o600 };

test("the start refuses a database that is damaged", async (t) => {
  const data = freshFolder(t);
  writeFileSync(join(data, "postrider.db"), NOISE, OWN);
  writeFileSync(join(data, "secret.key"), "k".repeat(44), OWN);
  await refuses(t, data, /postrider\.db is damaged, or not a database.*Restore it from a backup/);
});

test("the start refuses a database that is a folder", async (t) => {
  const data = freshFolder(t);
  mkdirSync(join(data, "postrider.db"));
  await refuses(t, data, /postrider\.db cannot be opened\. Check/);
});

test("the start refuses a lock file that is no lock file", async (t) => {
  const data = freshFolder(t);
  writeFileSync(join(data, "postrider.db.lock"), NOISE, OWN);
  await refuses(t, data, /postrider\.db\.lock is damaged/);
});

test("the start refuses a database of a newer program", async (t) => {
  const data = freshFolder(t);
  await Command.serve(t, ["--data", data]).stopWhenReady();
  const database = new DatabaseSync(join(data, "postrider.db"));
  database.exec("UPDATE schema_info SET oldest_program = 99");
  database.close();
  await refuses(t, data, /upgraded by a newer postrider.*upgrade this one/);
});

test("the start refuses a database that another program keeps locked", async (t) => {
  const data = freshFolder(t);
  await Command.serve(t, ["--data", data]).stopWhenReady();
  const database = new DatabaseSync(join(data, "postrider.db"));
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  await refuses(t, data, /postrider\.db is kept locked by another program/);
  database.close();
});

test("the start refuses a data folder that is a file, or lies below one", async (t) => {
  const file = join(freshFolder(t), "file");
  writeFileSync(file, "");
  await refuses(t, file, /file is not a folder.*--data/);
  await refuses(t, join(file, "below"), /file\/below cannot be created.*--data/);
});

if (process.platform === "linux") {
  test("the start refuses a data folder in a file system that takes none", async (t) => {
    await refuses(t, "/proc/nope", /\/proc\/nope cannot be created.*--data/);
  });
}

test("the start refuses a PostgreSQL that is not there", async (t) => {
  const url = `postgres://me:hidden@127.0.0.1:${await freePort()}/mine`;
  await refusesDatabase(t, url, /database mine: nothing listens there.*--database-url/);
});

test("the start refuses a URL of PostgreSQL that cannot be read, or names several hosts", async (t) => {
  const broken = "postgres://me:hidden/with#it@127.0.0.1:99999/mine";
  await refusesDatabase(t, broken, /must be a URL: postgres:.*percent-encoded/);
  const several = "postgres://me:hidden@one.invalid:5432,two.invalid:5432/mine";
  await refusesDatabase(t, several, /must name one host: an address that follows the primary/);
});

test("the start refuses a PostgreSQL whose name is not known", async (t) => {
  const url = "postgres://me:hidden@nowhere.invalid/mine";
  await refusesDatabase(t, url, /the host name cannot be resolved.*--database-url/);
});

test("the start refuses a PostgreSQL that is something else, or silent", async (t) => {
  const http = createServer((_, response) => response.end());
  const silent = createTcpServer(() => undefined);
  for (const server of [http, silent]) {
    const url = `postgres://me:hidden@127.0.0.1:${await listenFor(t, server)}/mine`;
    await refusesDatabase(t, url, /it does not answer\. Check host, port and firewall/);
  }
});

test(
  "the start refuses a PostgreSQL without that database or user",
  { skip: postgresMissing() },
  async (t) => {
    const database = await freshDatabase();
    t.after(() => database.drop());
    const missing = new URL(database.url);
    missing.pathname = "/not_there";
    await refusesDatabase(t, missing.href, /database not_there: there is no such database/);
    const stranger = new URL(database.url);
    stranger.username = "stranger";
    stranger.password = "hidden";
    await refusesDatabase(t, stranger.href, /it refuses the user or the password/);
  },
);

test(
  "the start refuses a PostgreSQL that takes no writes, or asks for what it cannot have",
  { skip: postgresMissing() },
  async (t) => {
    const database = await freshDatabase();
    t.after(() => database.drop());
    const name = new URL(database.url).pathname.slice(1);
    const withTls = new URL(database.url);
    withTls.searchParams.set("sslmode", "verify-full");
    await refusesDatabase(t, withTls.href, /it offers no TLS\. .* take sslmode out/);
    await withClient(database.url, (client) =>
      client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`),
    );
    await refusesDatabase(t, database.url, /it is read-only: a standby, or .* Name the primary/);
  },
);

test("the start refuses a socket or certificate of PostgreSQL that is not there", async (t) => {
  const missing = /names is missing or closed to this user\. Correct it \(.*nowhere/;
  await refusesDatabase(t, "postgres://me:hidden@/mine?host=/nowhere", missing);
  const certificate = "?sslmode=verify-full&sslrootcert=/nowhere/ca.pem";
  await refusesDatabase(t, `postgres://me:hidden@127.0.0.1/mine${certificate}`, missing);
});

test("the start refuses authorities that are not there, or no certificates", async (t) => {
  const folder = freshFolder(t);
  const file = join(folder, "ca.pem");
  for (const sentence of [/ca\.pem cannot be read\. Name/, /ca\.pem does not begin with a cert/]) {
    const flags = ["--data", freshFolder(t), "--egress-ca", file];
    await requireSentence(Command.serve(t, flags), sentence);
    writeFileSync(file, "no certificate");
  }
});

test("the start refuses a database from before the first release", async (t) => {
  const data = freshFolder(t);
  await Command.serve(t, ["--data", data]).stopWhenReady();
  const database = new DatabaseSync(join(data, "postrider.db"));
  database.exec("UPDATE schema_info SET oldest_program = 1");
  database.close();
  await refuses(t, data, /from before its first release.*another --data folder/);
});

test("the start refuses files of its own that it cannot read or replace", async (t) => {
  for (const name of ["secret.key", "control.json"]) {
    const data = freshFolder(t);
    mkdirSync(join(data, name, "inside"), { recursive: true });
    await refuses(t, data, new RegExp(`${name} is a folder where a file should be\\. Move it`));
  }
});

if (process.platform === "linux") {
  test("the start refuses a folder in which no file can be made", async (t) => {
    await refuses(t, "/sys", /\/sys\/postrider\.db\.lock .*(by this user|read-only).*--data/);
  });
}

test("the start refuses an address that it cannot listen on", async (t) => {
  const own = createTcpServer(() => undefined);
  const taken = String(await listenFor(t, own));
  for (const [flags, sentence] of [
    [["--host", "192.0.2.77"], /192\.0\.2\.77 is no address of this machine\. Give --host/],
    [["--host", "nowhere.invalid"], /nowhere\.invalid cannot be resolved\. Correct --host/],
    [["--port", taken], /port \d+ on 127\.0\.0\.1 is taken; .* give --port another/],
    [["--console-port", taken], /port \d+ on 127\.0\.0\.1 is taken; .* give --console-port/],
  ] as const) {
    await requireSentence(Command.serve(t, ["--data", freshFolder(t), ...flags]), sentence);
  }
});

test("a first start that cannot listen leaves the credentials to the next one", async (t) => {
  const own = createTcpServer(() => undefined);
  const taken = String(await listenFor(t, own));
  const data = freshFolder(t);
  await requireSentence(Command.serve(t, ["--data", data, "--port", taken]), /is taken/);
  const next = Command.serve(t, ["--data", data]);
  await next.stopWhenReady();
  for (const name of ["TOKEN", "READ_ONLY_TOKEN", "CURRENT_SIGNING_KEY", "ADMIN_PASSWORD"]) {
    assert.match(next.errors, new RegExp(`^POSTRIDER_${name}=.`, "m"));
  }
});

async function refuses(t: TestContext, data: string, sentence: RegExp): Promise<void> {
  await requireSentence(Command.serve(t, ["--data", data]), sentence);
}

async function refusesDatabase(t: TestContext, url: string, sentence: RegExp): Promise<void> {
  const command = Command.serve(t, [], {
    POSTRIDER_DATABASE_URL: url,
    POSTRIDER_SECRET_KEY: "0123456789abcdef0123456789abcdef0123456789ab",
  });
  await requireSentence(command, sentence);
  assert.ok(!command.errors.includes("hidden"));
}

async function requireSentence(command: Command, sentence: RegExp): Promise<void> {
  assert.equal(await command.refuses(), 1);
  assert.match(command.errors, /^postrider: [^\n]+\n$/);
  assert.match(command.errors, sentence);
  // The servers of tests are warned of: they are fast, and lose what was committed.
  const lines = command.output.split("\n").filter((line) => !line.includes("store may lose"));
  assert.deepEqual(lines, [""]);
}
