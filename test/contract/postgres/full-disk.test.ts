import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../../src/core/problem.ts";
import type { Log } from "../../../src/platform/log.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { takeSchema } from "../../support/kept-schemas.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aPublish, aPublishItem } from "../../support/messages.ts";
import { postgresMissing, withClient } from "../../support/postgres-url.ts";

test(
  "a full disk costs no connections and has one line",
  { skip: postgresMissing() },
  async (t) => {
    const kept = await takeSchema();
    const { url, schema } = kept;
    const logged: string[] = [];
    const tell = (event: string): void => void logged.push(event);
    const log: Log = { info: tell, warn: tell, error: tell };
    const application = `full-disk-${process.pid}`;
    const own = `${url}${url.includes("?") ? "&" : "?"}application_name=${application}`;
    const store = await PostgresStore.open({ url: own, schema, log, clock: new ManualClock() });
    t.after(async () => {
      await store.close();
      await withClient(url, (client) => client.query(`DROP FUNCTION ${schema}.full_disk CASCADE`));
      await kept.giveBack();
    });
    const publish = (messageId: string) => store.act(aPublish(0, aPublishItem({ messageId })));
    const processIds = () =>
      withClient(url, async (client) => {
        const text = "SELECT pid FROM pg_stat_activity WHERE application_name = $1 ORDER BY pid";
        return (await client.query(text, [application])).rows.map(({ pid }) => pid as number);
      });
    // A connection on which a statement failed while it was being prepared is not used again.
    for (let count = 0; count < 5; count++) await publish(`before-${count}`);
    // The server has no option for it, so a trigger reports what a full disk would.
    await withClient(url, (client) =>
      client.query(`
      CREATE FUNCTION ${schema}.full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON ${schema}.messages
        FOR EACH ROW EXECUTE FUNCTION ${schema}.full_disk()`),
    );
    const opened = await processIds();
    assert.ok(opened.length > 0);
    for (const messageId of ["a", "b", "c"]) {
      await assert.rejects(publish(messageId), isFull);
      assert.equal(store.isDiskFull, true);
    }
    const left = await processIds();
    assert.deepEqual(
      opened.filter((id) => !left.includes(id)),
      [],
    );
    await withClient(url, (client) => client.query(`DROP TRIGGER full_disk ON ${schema}.messages`));
    await publish("after");
    assert.equal(store.isDiskFull, false);
    const told = logged.filter((line) => line.includes("PostgreSQL"));
    assert.deepEqual(told, ["PostgreSQL's disk is full"]);
  },
);

function isFull(error: unknown): boolean {
  return error instanceof Problem && error.kind === "disk-low";
}
