import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import * as parsers from "./parsers.ts";
import { readSettings, SettingError } from "./read-settings.ts";
import { environmentOf, flagOf } from "./settings.ts";

const read = (flags: Record<string, string> = {}, environment: Record<string, string> = {}) =>
  readSettings("serve", { flags, environment, configFile: undefined });

test("defaults differ where dev and serve do", () => {
  const none = { flags: {}, environment: {}, configFile: undefined };
  assert.equal(readSettings("dev", none).host, "127.0.0.1");
  assert.equal(readSettings("serve", none).host, "0.0.0.0");
  assert.equal(read().port, 8080);
  assert.equal(read().databaseUrl, undefined);
  assert.equal(read().minFreeDisk, 512 * 1024 * 1024);
  assert.deepEqual(read().egressAllow, []);
});

test("flags win over the environment, and an empty variable is none", () => {
  assert.equal(read({}, { POSTRIDER_PORT: "1" }).port, 1);
  assert.equal(read({ port: "2" }, { POSTRIDER_PORT: "1" }).port, 2);
  assert.equal(read({}, { POSTRIDER_PORT: "" }).port, 8080);
  assert.equal(read({}, { POSTRIDER_DATABASE_URL: "postgres://x" }).databaseUrl, "postgres://x");
});

test("a DATABASE_URL of another program is not taken", () => {
  assert.equal(read({}, { DATABASE_URL: "postgres://x" }).databaseUrl, undefined);
});

test("a mistake names the setting and where it was made, not the value of a secret", () => {
  assert.throws(() => read({}, { POSTRIDER_PORT: "x" }), {
    name: "SettingError",
    message: "port (from POSTRIDER_PORT) must be a port from 0 to 65535",
  });
  assert.throws(
    () => read({ secretKey: "short" }),
    (error: Error) => error instanceof SettingError && !error.message.includes("short"),
  );
});

test("a removed setting changes nothing and is named in a warning, wherever it is given", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const configFile = join(folder, "config.json");
  writeFileSync(configFile, '{ "channels": true, "port": 1 }');
  const flags = { channels: "true" };
  const environment = { POSTRIDER_CHANNELS: "maybe" };
  const { warnings, port, ...others } = readSettings("serve", { flags, environment, configFile });
  assert.deepEqual(
    warnings,
    ["--channels", "POSTRIDER_CHANNELS", `channels in ${configFile}`].map(
      (place) => `${place} no longer has an effect: each workflow step is a request of its own`,
    ),
  );
  assert.equal(port, 1);
  assert.ok(!("channels" in others));
  assert.deepEqual(read({}, { POSTRIDER_CHANNELS: "" }).warnings, []);
});

test("one name, in three spellings", () => {
  assert.equal(flagOf("databaseUrl"), "database-url");
  assert.equal(environmentOf("databaseUrl"), "POSTRIDER_DATABASE_URL");
});

test("grammars", () => {
  assert.equal(parsers.parseBytes("2GB"), 2 * 1024 ** 3);
  assert.equal(parsers.parseBytes("10"), 10);
  assert.throws(() => parsers.parseBytes("-1"));
  assert.throws(() => parsers.parseBytes("1XB"));
  assert.equal(parsers.parseHttpUrl("https://a.test/"), "https://a.test");
  assert.throws(() => parsers.parseHttpUrl("a.test"));
  for (const more of ["?a=b", "#a", "/a?"]) {
    assert.throws(() => parsers.parseHttpUrl(`https://a.test${more}`), /query or fragment/, more);
  }
  assert.equal(parsers.parseNetworks("10.0.0.0/8, ::1").length, 2);
  assert.throws(() => parsers.parseNetworks("10.0.0.0/8,x"), /x is not/);
  assert.equal(parsers.parseAllowList("localhost,127.0.0.0/8").length, 2);
  assert.equal(parsers.parseSchemaName("postrider_2"), "postrider_2");
  for (const name of ["", "Upper", "a b", "pg_own", "1st", "a".repeat(64), 'x"'])
    assert.throws(() => parsers.parseSchemaName(name), /schema name/);
  assert.throws(() => parsers.parsePort("65536"));
  assert.throws(() => parsers.parseFlag("yes"));
  assert.throws(() => parsers.parseText(""));
  assert.throws(() => parsers.parseToken("too short"));
});

test("URLs of PostgreSQL are taken as pg takes them", () => {
  for (const url of [
    "postgres://me:secret@db.internal:5432/mine?sslmode=verify-full",
    "postgresql://me@[::1]/mine",
    "postgres://me:p%40ss@%2Fvar%2Frun%2Fpostgresql/mine",
    "postgres://me:secret@/mine?host=/var/run/postgresql",
    "postgres:///mine",
  ]) {
    assert.equal(parsers.parseDatabaseUrl(url), url);
    assert.doesNotThrow(() => new Client({ connectionString: url }));
  }
  assert.throws(() => parsers.parseDatabaseUrl("postgres://me@one,two:5432/mine"), /one host/);
});
