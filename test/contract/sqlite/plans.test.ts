/**
 * What a statement costs must not grow with what an account has. SQLite never counts by itself, so
 * that its plans are those of a fresh database for good: see the migration of planned sizes.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { mock, test } from "node:test";

import { threadReader } from "../../../src/store/sqlite/reads/reader.ts";
import { readingMethods } from "../../../src/store/sqlite/thread/reading-methods.ts";
import { REMOVAL_SQL } from "../../../src/store/sqlite/upkeep/remove-account.ts";
import { SqliteWriter } from "../../../src/store/sqlite/thread/writer.ts";

/** Tables of a few rows, and the accounts, of which each has one. */
const SMALL = ["accounts", "nodes", "schema_info", "sequences", "service", "sqlite_schema"];

/** All of an account, or of a table, on purpose. */
const WHOLE: readonly (readonly [statement: string, why: string])[] = [
  ["SELECT record FROM url_groups WHERE account_id = ?1 ORDER BY name", "few: limited"],
  ["SELECT count(*) AS count FROM url_groups", "few: limited"],
  ["SELECT count(*) AS count FROM schedules", "limited, and counted only to add one"],
  ["SELECT count(*) AS held FROM messages", "what is under way of an account with a cap"],
  ["SELECT halted, parallelism_max, CASE WHEN", "the same"],
  ["SELECT at FROM log_entries WHERE substr(account_id, -8)", "the first"],
  ["SELECT died_at AS at FROM dead_letters WHERE account_id = ?1 ORDER BY", "the first"],
  ["UPDATE schema_info SET oldest_program", "the first"],
  ["SELECT max(last) AS last FROM ( SELECT max(message_id)", "the last"],
  ["WITH RECURSIVE turn (account_id)", "the first line of each account"],
  ["SELECT active, everything - active", "a count of everything"],
  ["SELECT counted.*, (SELECT created_at", "a count of everything, in a hundredth of the time"],
  ["SELECT (SELECT count(*) FROM ( SELECT 1 FROM line_limits", "counts that end at 100,000"],
  ["SELECT status, cause, is_of_run,", "the newest 10,000"],
  ["SELECT url, is_of_run, hour,", "the newest 10,000"],
  ["SELECT phase, count(*) AS count FROM ( SELECT phase FROM runs", "the newest 10,000"],
];

const BOUNDS = { rowsMax: 1_000, bytesMax: 1_000_000 };

test("no statement reads all that an account has to find a part of it", () => {
  const { database, statements } = everyStatement();
  assert.ok(statements.length > 100, `${statements.length} statements`);
  const wide = statements.filter((statement) => readsMuch(database, statement));
  const allowed = (statement: string) => WHOLE.some(([start]) => statement.startsWith(start));
  assert.deepEqual(
    wide.filter((statement) => !allowed(statement)),
    [],
  );
  const unused = WHOLE.filter(([start]) => !wide.some((statement) => statement.startsWith(start)));
  assert.deepEqual(unused, []);
  database.close();
});

test("a list is read in its order, and what is named is looked up", () => {
  const prepare = mock.method(DatabaseSync.prototype, "prepare");
  const database = new SqliteWriter(":memory:").database;
  type List = (reading: ReturnType<typeof threadReader>) => unknown;
  const stepsOf = (list: List): string[] => {
    const reading = threadReader(database);
    prepare.mock.resetCalls();
    list(reading);
    const texts = prepare.mock.calls.map(({ arguments: [text] }) => text);
    assert.equal(texts.length, 1);
    return texts.flatMap((text) => stepsIn(database, text));
  };
  const lists: List[] = [];
  const named: List[] = [];
  for (const order of ["latestFirst", "earliestFirst"] as const) {
    const pages = ["10", null].map((after) => ({ after, count: 10, order, ...BOUNDS }));
    for (const page of pages) {
      lists.push(
        (reading) => reading.messages.log("account", {}, page),
        (reading) => reading.messages.log("account", { states: ["ERROR"] }, page),
      );
      named.push((reading) =>
        reading.messages.log("account", { messageIds: ["one", "two"] }, page),
      );
    }
    const first = { after: null, count: 10, order, ...BOUNDS };
    lists.push(
      (reading) => reading.deadLetters.list("account", {}, first),
      (reading) => reading.runs.list("account", {}, first),
      (reading) => reading.runs.list("account", { fromAt: 1, toAt: 2 }, first),
    );
    named.push((reading) => reading.runs.list("account", { runIds: ["one", "two"] }, first));
  }
  const sorted = lists.filter((list) => stepsOf(list).some((step) => step.includes("B-TREE")));
  const wide = named.filter((list) => stepsOf(list).some(isWide));
  prepare.mock.restore();
  assert.deepEqual([sorted.map(String), wide.map(String)], [[], []]);
  database.close();
});

test("a page of what an account has is found by an index, in whichever table", () => {
  const database = new SqliteWriter(":memory:").database;
  const texts = Object.values(REMOVAL_SQL).flatMap(({ find, remove }) => [find, ...remove]);
  const steps = texts.flatMap((text) => stepsIn(database, text.replaceAll("$", "?")));
  assert.ok(steps.length > 30);
  const whole = steps.filter((step) =>
    /^SCAN (?!CONSTANT|\(|messages USING INDEX messages_leased)/.test(step),
  );
  assert.deepEqual(whole, []);
  database.close();
});

test("the sizes of all indexes are planned", () => {
  const database = new SqliteWriter(":memory:").database;
  const known = database.prepare("SELECT idx FROM sqlite_stat1").all();
  const names = new Set(known.map(({ idx }) => idx));
  const indexes = database
    .prepare(
      `SELECT t.name AS table_name, i.name AS index_name, i.origin
       FROM pragma_table_list AS t JOIN pragma_index_list(t.name) AS i WHERE t.schema = 'main'`,
    )
    .all()
    .filter(({ table_name: table }) => !SMALL.includes(table as string))
    // A primary key in which the rows themselves lie bears the name of its table.
    .map((found) => (found["origin"] === "pk" ? found["table_name"] : found["index_name"]));
  assert.ok(indexes.length > 30);
  assert.deepEqual(
    indexes.filter((name) => !names.has(name)),
    [],
  );
  database.close();
});

/** All that the store prepares, and a database to plan it for. */
function everyStatement(): { database: DatabaseSync; statements: string[] } {
  const prepare = mock.method(DatabaseSync.prototype, "prepare");
  const database = new SqliteWriter(":memory:").database;
  readingMethods(database);
  const texts = prepare.mock.calls.map(({ arguments: [text] }) => text);
  prepare.mock.restore();
  const plain = texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
  return { database, statements: [...new Set(plain)].filter((text) => !text.startsWith("PRAGMA")) };
}

function readsMuch(database: DatabaseSync, statement: string): boolean {
  return stepsIn(database, statement).some(isWide);
}

function stepsIn(database: DatabaseSync, statement: string): string[] {
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
  return rows.map(({ detail }) => String(detail));
}

function isWide(step: string): boolean {
  const table = /^(?:SCAN|SEARCH) (\w+)/.exec(step)?.[1];
  if (table === undefined || [...SMALL, "CONSTANT"].includes(table)) return false;
  const isScan =
    step.startsWith("SCAN") &&
    !/VIRTUAL TABLE|^SCAN (?:turn|live|found|sized|counted)\b|^SCAN \d+-ROW VALUES/.test(step);
  return isScan || /\((?:account_id|<expr>)[=>]\?\)|ANY\(/.test(step);
}
