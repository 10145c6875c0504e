/** Backups of a running service, made and restored by the commands an operator runs. */
import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";

import { AccountCalls, type Item } from "../support/account-calls.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import type { Scope } from "../support/scope.ts";

const folder = mkdtempSync(join(tmpdir(), "postrider-backup-"));
const data = join(folder, "data");
const endings: (() => unknown)[] = [];
const scope: Scope = { after: (end) => void endings.push(end) };
const TOKEN = "backed-up-token-0123456789";
const ENVIRONMENT = { POSTRIDER_TOKEN: TOKEN };
let calls: AccountCalls;
let destination: DestinationServer;

describe("backups", () => {
  before(async () => {
    destination = await DestinationServer.startFor(scope);
    const flags = ["--data", data, "--egress-allow", "127.0.0.0/8"];
    const service = Command.serve(scope, flags, ENVIRONMENT);
    calls = new AccountCalls(await service.url(), TOKEN);
    writeFileSync(join(folder, "passphrase"), "correct horse battery staple\n");
  });

  after(async () => {
    for (const end of endings.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  });

  test("what was acknowledged before a backup is in it, while others publish", async () => {
    const published: string[] = [];
    const stop = new AbortController();
    const publishers = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        const headers = { "Svc-Delay": "1h" };
        const path = `/v2/publish/${destination.url}/later`;
        const { json } = await calls.call("POST", path, { headers, body: "b".repeat(2_000) });
        published.push(String(json["messageId"]));
      }
    });
    await until(() => published.length > 200, "some are acknowledged");
    const acknowledged = [...published];
    const sealed = ["--passphrase-file", at("passphrase")];
    const said = await done("backup", at("first"), "--data", data, ...sealed);
    stop.abort();
    await Promise.all(publishers);
    assert.match(said, /Backed up to .*first: \d+ messages.\nThe secret key is in it/);
    assert.equal(statSync(at("first")).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("first")),
      ["first"],
    );
    assert.match(await done("verify", at("first")), /^Whole\. Made at .* with the secret key/);

    const restored = at("restored");
    const told = await done("restore", at("first"), "--data", restored, ...sealed);
    assert.match(told, /messages had not ended, 0 runs were under way/);
    assert.match(told, /postrider resume --data/);
    assert.equal(statSync(join(restored, "postrider.db")).mode & 0o777, 0o600);
    assert.equal(statSync(join(restored, "secret.key")).mode & 0o777, 0o600);
    const { command, calls: again } = await startOn(restored);
    const ids = new Set(
      (await again.pages("/v2/messages?count=100", "messages")).flat().map((message) => {
        return message["messageId"];
      }),
    );
    assert.deepEqual(
      acknowledged.filter((id) => !ids.has(id)),
      [],
    );
    await command.stop();
  });

  test("a restored server sends nothing until it is resumed", async () => {
    const release = destination.hold(({ url }) => url === "/again");
    await calls.call("POST", `/v2/publish/${destination.url}/again`);
    await destination.received("/again", 1);
    await done("backup", at("paused"), "--data", data, "--passphrase-file", at("passphrase"));
    release();
    const restored = at("restored-paused");
    await done("restore", at("paused"), "--data", restored, "--passphrase-file", at("passphrase"));
    const { command, calls: again } = await startOn(restored);
    const path = `/v2/publish/${destination.url}/fresh`;
    const { json } = await again.call("POST", path);
    const waiting = (await again.get(`/v2/messages/${String(json["messageId"])}`))["waiting"];
    assert.equal((waiting as Item)["reason"], "paused");
    assert.deepEqual(
      destination.to("/again").length + destination.to("/fresh").length,
      1,
      "nothing is sent",
    );
    await done("resume", "--data", restored);
    await destination.received("/again", 2);
    await command.stop();
  });

  test("a backup without a passphrase lacks the secret key, and restore says so", async () => {
    const said = await done("backup", at("open"), "--data", data);
    assert.match(said, /The secret key is not in it/);
    const secret = readFileSync(join(data, "secret.key"), "utf8").trim();
    assert.equal(readFileSync(at("open")).includes(secret), false);
    const restored = at("restored-open");
    assert.match(await done("restore", at("open"), "--data", restored), /copy secret\.key/);
    const refused = new Command(["serve", "--port", "0", "--data", restored], ENVIRONMENT);
    assert.equal(await refused.refuses(), 1);
    assert.match(refused.errors, /secret\.key/);
    copyFileSync(join(data, "secret.key"), join(restored, "secret.key"));
    await (await startOn(restored)).command.stop();
  });

  test("a short secret key, and one of many lines, come back from a backup", async () => {
    const keys = ["sixteen-letters!", "-----BEGIN-----\na key of\nmany lines\n-----END-----"];
    for (const [index, key] of keys.entries()) {
      const [from, restored, backup] = ["given", "given-back", "given-backup"].map((name) =>
        at(`${name}-${index}`),
      ) as [string, string, string];
      const environment = { POSTRIDER_SECRET_KEY: key };
      await Command.serve(scope, ["--data", from], environment).stopWhenReady();
      const sealed = ["--passphrase-file", at("passphrase")];
      const made = new Command(["backup", backup, "--data", from, ...sealed], environment);
      assert.equal(await made.ends(), 0, made.errors);
      await done("restore", backup, "--data", restored, ...sealed);
      await Command.serve(scope, ["--data", restored]).stopWhenReady();
    }
  });

  test("Ctrl-C ends a backup and a restore at once, and nothing is left of them", async () => {
    const [large, whole, restored] = [at("large"), at("large-backup"), at("restored-large")];
    await done("backup", at("small"), "--data", data);
    await done("restore", at("small"), "--data", large);
    const database = new DatabaseSync(join(large, "postrider.db"));
    database.exec(`CREATE TABLE padding (bytes BLOB) STRICT; INSERT INTO padding
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
      SELECT zeroblob(1000000) FROM n`);
    database.close();
    const names = readdirSync(folder);
    await interrupt(["backup", whole, "--data", large], folder);
    assert.deepEqual(readdirSync(folder), names);
    await done("backup", whole, "--data", large);
    await interrupt(["restore", whole, "--data", restored], restored);
    assert.deepEqual(readdirSync(restored), []);
    await done("restore", whole, "--data", restored);
    rmSync(whole);
  });

  test("what cannot be used is refused, and nothing is written", async () => {
    const whole = at("whole");
    await done("backup", whole, "--data", data, "--passphrase-file", at("passphrase"));
    writeFileSync(at("other"), "another passphrase of some length\n");
    writeFileSync(at("short"), "short\n");
    writeFileSync(at("text"), "no database at all, but long enough to be read as one ".repeat(99));
    copyFileSync(whole, at("changed"));
    const changed = new DatabaseSync(at("changed"));
    changed.exec("UPDATE facts SET body = x'00' WHERE rowid = (SELECT min(rowid) FROM facts)");
    changed.close();
    mkdirSync(at("copied"));
    copyFileSync(join(data, "postrider.db"), at("copied/postrider.db"));
    mkdirSync(at("taken"));
    writeFileSync(at("taken/file"), "");
    const cases: readonly [words: string[], says: RegExp][] = [
      [["backup", whole, "--data", data], /whole exists/],
      [["backup", at("new"), "--data", at("nothing")], /there is no database at/],
      [
        ["backup", at("nowhere/new"), "--data", data],
        /nowhere\/new cannot be written \(ENOENT\)\n$/,
      ],
      [["backup", at("new"), "--data", data, "--passphrase-file", at("short")], /12 characters/],
      [
        ["restore", whole, "--data", at("never"), "--passphrase-file", at("no-file")],
        /--passphrase-file .*no-file cannot be read/,
      ],
      [["verify", at("missing")], /there is no file/],
      [["verify", at("text")], /cannot be read: file is not a database/],
      [["verify", at("changed")], /the table facts differs/],
      [["verify", at("copied/postrider.db")], /was not made by "postrider backup"|cannot be read/],
      [["restore", at("changed"), "--data", at("never")], /the table facts differs/],
      [["restore", whole, "--data", at("taken")], /is not empty/],
      [["restore", whole, "--data", at("never"), "--passphrase-file", at("other")], /passphrase/],
    ];
    const earlier = readdirSync(folder).toSorted();
    for (const [words, says] of cases) {
      const { code, errors } = await run(...words);
      assert.ok(code === 1 || code === 5, `${words.join(" ")}: ${String(code)}`);
      assert.match(errors, says, words.join(" "));
    }
    assert.deepEqual(readdirSync(folder).toSorted(), earlier);
  });

  test("PostgreSQL is backed up by pg_dump, which is not told the password in its arguments", async () => {
    const bin = at("bin");
    mkdirSync(bin);
    const url = "postgres://user:pass%20word@db.internal:5433/app?sslmode=require";
    const words = ["backup", at("dump"), "--database-url", url, "--database-schema", "mine"];
    const missing = new Command(words, { PATH: bin });
    assert.equal(await missing.ends(), 1);
    assert.match(missing.errors, /pg_dump is not installed here/);
    assert.match(missing.errors, /pg_dump --format=custom --schema=mine/);
    assert.doesNotMatch(missing.errors, /pass/);
    const script = `for word; do case $word in --file=*) file=\${word#--file=};; esac; done
      printf '%s\\n' "$PGPASSWORD" "$@" > "$file"`;
    writeFileSync(join(bin, "pg_dump"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, "pg_dump"), 0o755);
    const dumped = new Command(words, { PATH: `${bin}:/bin:/usr/bin` });
    assert.equal(await dumped.ends(), 0, dumped.errors);
    const [password, format, schema, file, address] = readFileSync(at("dump"), "utf8").split("\n");
    assert.deepEqual(
      [password, format, schema, address],
      [
        "pass word",
        "--format=custom",
        "--schema=mine",
        "--dbname=postgres://user@db.internal:5433/app?sslmode=require",
      ],
    );
    assert.match(file!, /^--file=.*dump\.\w+\.postrider-draft$/);
    assert.equal(statSync(at("dump")).mode & 0o777, 0o600);
  });
});

interface Ran {
  readonly code: number | NodeJS.Signals | null;
  readonly output: string;
  readonly errors: string;
}

async function run(...words: string[]): Promise<Ran> {
  const command = new Command(words);
  const code = await command.ends();
  return { code, output: command.output, errors: command.errors };
}

async function done(...words: string[]): Promise<string> {
  const { code, output, errors } = await run(...words);
  assert.equal(code, 0, errors);
  return output;
}

const at = (name: string): string => join(folder, name);

/** A service on restored data that sends nothing by itself. */
async function startOn(restored: string): Promise<{ command: Command; calls: AccountCalls }> {
  const flags = ["--data", restored, "--egress-allow", "127.0.0.0/8"];
  const command = Command.serve(scope, flags, ENVIRONMENT);
  return { command, calls: new AccountCalls(await command.url(), TOKEN) };
}

function isCopyingIn(of: string): boolean {
  return (
    existsSync(of) && readdirSync(of).some((name) => /^large-backup\.|\.restoring$/.test(name))
  );
}

async function interrupt(words: readonly string[], within: string): Promise<void> {
  const command = new Command(words);
  await until(() => isCopyingIn(within), "it copies");
  command.signal("SIGINT");
  assert.equal(await command.ends(), 130, command.output + command.errors);
  assert.equal(command.output, "");
}
