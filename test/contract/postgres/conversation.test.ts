import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Connections } from "../../../src/store/postgres/driver/connection.ts";
import type { Session } from "../../../src/store/postgres/driver/conversation.ts";
import { type FreshDatabase, freshDatabase, postgresMissing } from "../../support/postgres-url.ts";

describe("a transaction's statements", { skip: postgresMissing() }, () => {
  let database: FreshDatabase;
  let connections: Connections;

  before(async () => {
    database = await freshDatabase();
    connections = new Connections({ url: database.url, connectionsMax: 1 });
  });
  after(async () => {
    await connections.close();
    await database.drop();
  });

  test("are refused on a server that takes no writes, also when they write nothing", async (t) => {
    const url = `${database.url}?options=-c%20default_transaction_read_only%3Don`;
    const readOnly = new Connections({ url, connectionsMax: 1 });
    t.after(() => readOnly.close());
    await assert.rejects(readOnly.transaction(processId), { name: "ServerReadOnly" });
    assert.equal(typeof (await readOnly.read(processId)), "number");
  });

  test("each has its own answer, when it is prepared and when it is known", async () => {
    for (let time = 0; time < 3; time++) {
      const answers = await connections.transaction((session) =>
        Promise.all([
          session.query("SELECT $1::int AS number, NULL AS nothing", [time]),
          session.change("CREATE TABLE IF NOT EXISTS kept (name text)"),
          session.query("SELECT name FROM kept WHERE name = $1", ["nobody"]),
          session.change("INSERT INTO kept SELECT unnest($1::text[])", [["a", 'b"\\', null]]),
          session.query("SELECT $1::bytea AS bytes, $2::boolean AS yes", [
            new Uint8Array([7]),
            true,
          ]),
        ]),
      );
      assert.deepEqual(answers[0], [{ number: time, nothing: null }]);
      assert.deepEqual([answers[2], answers[3]], [[], 3]);
      assert.deepEqual(answers[4], [{ bytes: new Uint8Array([7]), yes: true }]);
    }
  });

  test("the last one and its COMMIT are one", async () => {
    const { changed } = await connections.transaction((session) =>
      session.last("DELETE FROM kept WHERE name = $1", ["a"]),
    );
    assert.equal(changed, 3);
    await assert.rejects(
      connections.transaction(async (session) => {
        await session.last("DELETE FROM kept", []);
        await session.query("SELECT 1", []);
      }),
      /the transaction is over/,
    );
  });

  test("what is behind one that failed tells why, and nothing is kept", async () => {
    await assert.rejects(connections.transaction(failing), /division by zero/);
    const rows = await connections.read((session) =>
      session.query("SELECT name FROM kept WHERE name = $1", ["lost"]),
    );
    assert.deepEqual(rows, []);
  });

  test("what is behind a BEGIN that failed tells why, and nothing is kept", async () => {
    await assert.rejects(
      connections.transaction(
        (session) => session.change("INSERT INTO kept VALUES ($1)", ["lost"]),
        { lockTimeoutMs: -1 },
      ),
      /lock_timeout/,
    );
    const rows = await connections.read((session) =>
      session.query("SELECT name FROM kept WHERE name = $1", ["lost"]),
    );
    assert.deepEqual(rows, []);
  });

  test("what failed while it was being prepared is prepared elsewhere", async () => {
    const earlier = await connections.read(processId);
    const asking = (value: string): Promise<unknown> =>
      connections.transaction((session) => session.query("SELECT $1::int + 1 AS more", [value]));
    await assert.rejects(asking("many"), /invalid input syntax/);
    assert.deepEqual(await asking("2"), [{ more: 3 }]);
    assert.notEqual(await connections.read(processId), earlier);
  });
});

async function failing(session: Session): Promise<unknown> {
  const first = session.change("INSERT INTO kept VALUES ($1)", ["lost"]);
  const failed = session.query("SELECT 1 / $1::int AS one", [0]);
  const besides = session.query("SELECT 1 AS one", []);
  await setImmediate();
  const later = session.query("SELECT 2 AS two", []);
  await assert.rejects(failed, /division by zero/);
  await assert.rejects(besides, /division by zero/);
  assert.equal(await first, 1);
  return later;
}

async function processId(session: Session): Promise<unknown> {
  const [row] = await session.query("SELECT pg_backend_pid() AS id", []);
  return row?.["id"];
}
