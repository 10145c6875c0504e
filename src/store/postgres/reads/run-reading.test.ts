import assert from "node:assert/strict";
import { test } from "node:test";

import { lookUp, type Reading, rowsOf } from "../../reads/reading.ts";
import type { Row } from "../../records/rows.ts";
import type { Session } from "../driver/conversation.ts";
import { runReading } from "./run-reading.ts";

test("what is looked up by many keys is one statement, and the rows are given back by key", async () => {
  const { session, asked } = answering([
    { nth: 3, body: "c" },
    { nth: 1, body: "a" },
    { nth: 3, body: "d" },
  ]);
  const keys = [
    ["account", 1],
    ["account", 2],
    ["account", 3],
  ];
  const text = "SELECT body FROM facts WHERE account_id = $1 AND number = $2 AND size < $3";
  const found = await runReading(session, lookUp(text, keys, [9]));
  assert.deepEqual(
    found.map((rows) => rows.map(({ body }) => body)),
    [["a"], [], ["c", "d"]],
  );
  assert.equal(asked.length, 1);
  assert.match(asked[0]!.text, /account_id = k\.k1 AND number = k\.k2 AND size < \$3 OFFSET 0/);
  assert.match(asked[0]!.text, /unnest\(\$1::text\[\]\) AS k1, unnest\(\$2::bigint\[\]\) AS k2/);
  assert.deepEqual(asked[0]!.values, [["account", "account", "account"], [1, 2, 3], 9]);
});

test("nothing is asked for no keys, and the queries of a step are asked together", async () => {
  const { session, asked } = answering([]);
  assert.deepEqual(await runReading(session, lookUp("SELECT $1", [])), []);
  assert.equal(asked.length, 0);
  assert.equal(await runReading(session, twoSteps()), 3);
  assert.deepEqual(
    asked.map(({ text }) => text),
    ["SELECT 1", "SELECT 2", "SELECT 3"],
  );
});

function* twoSteps(): Reading<number> {
  yield* rowsOf("SELECT 1");
  const together = yield [
    { text: "SELECT 2", values: [] },
    { text: "SELECT $1", values: [], keys: [] },
    { text: "SELECT 3", values: [] },
  ];
  return together.length;
}

/** A session that gives the same rows to every statement. */
function answering(rows: readonly Row[]) {
  const asked: { text: string; values: readonly unknown[] }[] = [];
  const query: Session["query"] = (text, values = []) => {
    asked.push({ text, values });
    return Promise.resolve([...rows]);
  };
  return { session: { query } as Session, asked };
}
