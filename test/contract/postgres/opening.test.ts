/** What a transaction sets for itself, what its session keeps, and what a failed opening prevents. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Connections } from "../../../src/store/postgres/driver/connection.ts";
import type { Session } from "../../../src/store/postgres/driver/conversation.ts";
import { type FreshDatabase, freshDatabase, postgresMissing } from "../../support/postgres-url.ts";
import { startPooler } from "./pooler.ts";

const SCHEMA = 'a "quoted" schema';
const NAMES = [
  "search_path",
  "synchronous_commit",
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "jit",
  "enable_seqscan",
  "enable_sort",
  "enable_hashjoin",
];
const EXPECTED = ['"a ""quoted"" schema"', "on", "3s", "700ms", "15s", "off", "off", "off", "off"];
const OPTIONS = { statementTimeoutMs: 3_000, lockTimeoutMs: 700 };

describe("the opening of a transaction", { skip: postgresMissing() }, () => {
  let database: FreshDatabase;

  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  for (const isThere of [false, true]) {
    const way = isThere ? "behind a pooler" : "straight to the server";
    test(`${way}, each has all its settings from its first statement on`, async (t) => {
      const pooler = await startPooler(database.url, isThere);
      const connections = new Connections({
        url: pooler.url,
        connectionsMax: 2,
        schema: SCHEMA,
      });
      t.after(async () => {
        await connections.close();
        await pooler.close();
      });
      for (let round = 0; round < 4; round++) {
        const found = await Promise.all([
          connections.transaction(settings, OPTIONS),
          connections.read(settings, OPTIONS),
        ]);
        assert.deepEqual(found, [EXPECTED, EXPECTED], `round ${round}`);
      }
    });
  }

  test("leaves no setting of its own behind, also when it is rolled back", async (t) => {
    const connections = new Connections({ url: database.url, connectionsMax: 1, schema: SCHEMA });
    t.after(() => connections.close());
    await connections.transaction(settings, OPTIONS);
    await assert.rejects(
      connections.transaction((session) => session.query("SELECT 1 / 0 AS one"), OPTIONS),
      /division by zero/,
    );
    const [, , statementTimeout, lockTimeout, ...constant] = await connections.read(settings);
    assert.deepEqual([statementTimeout, lockTimeout], ["10s", "2s"]);
    assert.deepEqual(constant, EXPECTED.slice(4));
  });

  test("that fails keeps later statements from being transactions of their own", async (t) => {
    const connections = new Connections({ url: database.url, connectionsMax: 1 });
    t.after(() => connections.close());
    await connections.transaction((session) => session.script("CREATE TABLE kept (name text)"));
    await assert.rejects(
      connections.transaction(insertLater, { lockTimeoutMs: -1 }),
      /lock_timeout/,
    );
    const rows = await connections.read((session) => session.query("SELECT name FROM kept"));
    assert.deepEqual(rows, []);
  });
});

async function insertLater(session: Session): Promise<unknown> {
  await session.now().catch(() => undefined);
  await setImmediate();
  return session.last("INSERT INTO kept VALUES ('lost')");
}

async function settings(session: Session): Promise<unknown[]> {
  const values = NAMES.map((name) => `current_setting('${name}') AS ${name}`);
  const [row] = await session.query(`SELECT ${values.join(", ")}`);
  return NAMES.map((name) => row?.[name]);
}
