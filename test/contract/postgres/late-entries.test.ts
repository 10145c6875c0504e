/** Entries of the log that commit later than entries with greater numbers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { SettledLog } from "../../../src/operations/message/log-feed.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { aPublish, aPublishItem } from "../../support/messages.ts";
import { freshDatabase, postgresMissing } from "../../support/postgres-url.ts";

test(
  "the log is not settled before a late writer has committed",
  { skip: postgresMissing() },
  async (t) => {
    const database = await freshDatabase();
    const store = await PostgresStore.open({ url: database.url, clock: systemClock });
    const late = new Client({ connectionString: database.url });
    await late.connect();
    t.after(async () => {
      await late.end();
      await store.close();
      await database.drop();
    });
    const log = new SettledLog();
    const observe = async (): Promise<number | null> => {
      log.observe(await store.reader.upkeep.logEnd(), 0);
      return log.number;
    };
    const settles = async (): Promise<number> => {
      for (;;) {
        const number = await observe();
        if (number !== null) return number;
      }
    };
    const empty = await settles();
    assert.equal(empty, 0, "nothing was written");

    await late.query("BEGIN");
    const { rows } = await late.query<{ number: string }>(
      `INSERT INTO log_entries (account_id, message_id, at, state)
     VALUES ('account', 'late', 1, 'CREATED') RETURNING number`,
    );
    const number = Number(rows[0]!.number);
    await store.act(aPublish(Date.now(), aPublishItem({ messageId: "early" })));
    const page = { after: "0", count: 10, order: "earliestFirst" } as const;
    const [early] = (await store.reader.messages.log("account", {}, page)).items;
    assert.ok(early!.number > number, "the visible entry has the greater number");
    for (let round = 0; round < 5; round++) assert.equal(await observe(), empty);

    await late.query("COMMIT");
    while ((await observe())! < early!.number);
    const { rows: found } = await late.query("SELECT 1 FROM log_entries WHERE number = $1", [
      number,
    ]);
    assert.equal(found.length, 1);
  },
);
