/** `postrider query`: what it prints, and that it cannot change, see or take too much. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AccountCalls } from "../support/account-calls.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import type { Scope } from "../support/scope.ts";

/** Every example of the guide works on both databases. */
const OBSERVING = readFileSync(new URL("../../docs/guides/observing.md", import.meta.url), "utf8");

/** Slow in either database: it counts far. */
const ENDLESS = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000000)
  select count(*) from n`;

for (const [name, storeOf] of [
  ["SQLite", (t: Scope) => Promise.resolve(["--data", freshFolder(t)])],
  ["PostgreSQL", databaseFlags],
] as const) {
  const skip = name === "PostgreSQL" ? postgresMissing() : false;
  test(`a query over the history on ${name}`, { skip }, async (t) => {
    const store = await storeOf(t);
    const destination = await DestinationServer.startFor(t, ({ url }) =>
      url === "/fails" ? { status: 500 } : {},
    );
    const server = Command.serve(t, [...store, "--egress-allow", "127.0.0.0/8"]);
    const url = await server.url();
    const [, token] = await server.says(/^POSTRIDER_TOKEN=(\S+)$/m);
    const account = new AccountCalls(url, token!);
    const failed = await account.publish(`${destination.url}/fails`, { "Svc-Retries": "0" });
    await account.publish(`${destination.url}/works`, { "Svc-Label": 'one "two",three' });
    await destination.received("/works");
    await account.logUntil(failed, "FAILED");
    const run = async (...args: readonly string[]): Promise<Command> => {
      const command = new Command(["query", ...args, ...store]);
      await command.ends();
      return command;
    };
    const FAILED =
      "select last_status, attempts, message_id from history_messages where state = 'FAILED';";
    const table = await run(FAILED);
    assert.equal(
      table.output,
      `last_status  attempts  message_id\n500          1         ${failed}\n`,
      table.errors,
    );
    const file = join(freshFolder(t), "failed.sql");
    writeFileSync(file, FAILED);
    const json = await run("--file", file, "--json");
    assert.deepEqual(JSON.parse(json.output), {
      last_status: 500,
      attempts: 1,
      message_id: failed,
    });
    const csv = await run(
      "--csv",
      "select labels, null as absent from history_messages where labels is not null",
    );
    assert.equal(csv.output, 'labels,absent\r\n"one ""two"",three",\r\n');
    const cut = await run("--rows", "1", "select message_id from history_messages");
    assert.equal(cut.output.split("\n").length, 3);
    assert.match(cut.errors, /only the first 1 rows are shown/);
    for (const [refused, says] of [
      ["delete from history_messages", /syntax error/],
      [
        "select 1) as a; drop view history_messages; select * from (select 2",
        /more than one statement|multiple commands|syntax error/,
      ],
      ["select nothing from history_messages", /nothing/],
      ["select pg_sleep(0), randomblob(1)", /function/],
    ] as const) {
      const command = await run(refused);
      assert.match(command.errors, says, refused);
      assert.match(command.errors, /hint: it reads history_messages/);
      assert.equal(await command.ends(), 1);
    }
    for (const [, documented] of OBSERVING.matchAll(/postrider query "([^"]+)"/g)) {
      const command = await run(documented!);
      assert.equal(await command.ends(), 0, `${documented} ${command.errors}`);
    }
    const late = await run("--timeout", "1s", ENDLESS);
    assert.match(late.errors, /took longer than 1 s and was ended/);
    assert.equal(
      (await run("select count(*) as n from history_messages", "--json")).output,
      '{"n":2}\n',
    );
    if (name === "SQLite") assert.match((await run("select body from facts")).errors, /prohibited/);
    await server.stop();
  });
}

async function databaseFlags(scope: Scope): Promise<readonly string[]> {
  const database = await freshDatabase();
  const { url } = database;
  scope.after(() => database.drop());
  return ["--database-url", url, "--secret-key", "a-secret-key-of-the-cluster"];
}
