import assert from "node:assert/strict";
import { test } from "node:test";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { type KeptSchema, takeSchema } from "./kept-schemas.ts";
import { ManualClock } from "./manual-clock.ts";
import { aPublish, aPublishItem, START_AT } from "./messages.ts";
import { postgresMissing, withClient } from "./postgres-url.ts";

test("a schema that is given back is as the migrations left it", async (t) => {
  if (postgresMissing() !== false) return t.skip(String(postgresMissing()));
  const first = await takeSchema();
  const store = await open(first);
  const made = await contentOf(first);
  await store.act(aPublish(START_AT, aPublishItem({ messageId: "a", queueName: "queue" })));
  await store.act({ rule: "pause-service", isPaused: true });
  await store.close();
  assert.notDeepEqual(await contentOf(first), made);
  await first.giveBack();
  assert.deepEqual(await contentOf(first), made);
  assert.equal((await takeSchema()).schema, first.schema);
});

function open({ url, schema }: KeptSchema): Promise<PostgresStore> {
  return PostgresStore.open({ url, schema, clock: new ManualClock(START_AT), time: "given" });
}

/** Every row of every table, and the last value of every sequence. */
function contentOf({ url, schema }: KeptSchema): Promise<string> {
  return withClient(url, async (client) => {
    const text = `SELECT schema_to_xml('${schema}', true, false, '')::text AS tables,
      (SELECT json_agg(s ORDER BY sequencename) FROM pg_sequences s WHERE schemaname = '${schema}')::text AS numbers`;
    const { rows } = await client.query<{ tables: string; numbers: string }>(text);
    assert.ok(rows[0]!.tables.includes("isPaused"));
    // One of the views shows the time.
    const tables = rows[0]!.tables.replace(/<now_at>\d+<\/now_at>/, "");
    return `${tables}${rows[0]!.numbers}`;
  });
}
