/** A database that lost a table or a right of ours is an outage until an operator has mended it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test, type TestContext } from "node:test";

import type { Log } from "../../../src/platform/log.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { StoreUnavailable } from "../../../src/store/store-unavailable.ts";
import { until } from "../../support/eventually.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aPublish, aPublishItem } from "../../support/messages.ts";
import { freshDatabase, postgresMissing, withClient } from "../../support/postgres-url.ts";

const skip = postgresMissing();

for (const [what, take, give] of [
  ["table", "ALTER TABLE a.messages RENAME TO gone", "ALTER TABLE a.gone RENAME TO messages"],
  ["schema", "ALTER SCHEMA a RENAME TO gone", "ALTER SCHEMA gone RENAME TO a"],
  ["right", "REVOKE ALL ON a.messages FROM own", "GRANT ALL ON a.messages TO own"],
] as const) {
  test(`a ${what} that is gone is an outage until it is back`, { skip }, async (t) => {
    const { store, logged, change } = await stage(t);
    let count = 0;
    const publish = (): Promise<unknown> =>
      store.act(aPublish(0, aPublishItem({ messageId: `message-${(count += 1)}` })));
    await publish();
    await change(take);
    await until(async () => {
      await assert.rejects(publish(), StoreUnavailable);
      await assert.rejects(store.requireWritable(), StoreUnavailable);
      await assert.rejects(store.reader.upkeep.counts(), StoreUnavailable);
      return logged.length > 0;
    }, "the log names the cause");
    await change(give);
    await publish();
    await store.requireWritable();
    assert.deepEqual(logged, ["PostgreSQL lacks what the server needs"]);
  });
}

/** A store whose user owns its schema, but is no superuser. */
async function stage(t: TestContext) {
  const database = await freshDatabase();
  const own = `own_${randomUUID().replaceAll("-", "")}`;
  const asAdministrator = (sql: string): Promise<unknown> =>
    withClient(database.url, (client) => client.query(sql));
  await asAdministrator(`CREATE ROLE ${own} LOGIN PASSWORD '${own}'; CREATE SCHEMA a;
    GRANT ALL ON SCHEMA a TO ${own}`);
  const url = new URL(database.url);
  url.username = own;
  url.password = own;
  const logged: string[] = [];
  const tell = (event: string): void => void (/PostgreSQL/.test(event) && logged.push(event));
  const log: Log = { info: tell, warn: tell, error: tell };
  const store = await PostgresStore.open({
    url: url.href,
    schema: "a",
    log,
    clock: new ManualClock(),
  });
  t.after(async () => {
    await store.close();
    await asAdministrator(`DROP OWNED BY ${own}; DROP ROLE ${own}`);
    await database.drop();
  });
  return {
    store,
    logged,
    change: (sql: string) => asAdministrator(sql.replace("own", own)),
  };
}
