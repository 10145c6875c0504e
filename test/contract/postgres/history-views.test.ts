/** The views of the history beside nodes of other versions, and for roles with fewer rights. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Client } from "pg";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { HISTORY_VIEWS, VIEWS_VERSION } from "../../../src/store/records/history-views.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { freshDatabase, postgresMissing, withClient } from "../../support/postgres-url.ts";

const skip = postgresMissing();
const SAID = "SELECT obj_description('postrider.history_messages'::regclass, 'pg_class') AS said";

async function openOnce(url: string): Promise<void> {
  const store = await PostgresStore.open({ url, clock: new ManualClock(), schema: "postrider" });
  await store.close();
}

const saidBy = async (client: Client): Promise<unknown> =>
  (await client.query<{ said: string }>(SAID)).rows[0]?.said;

test(
  "an earlier version's views are replaced with their rights, a later one's stay",
  { skip },
  async (t) => {
    const database = await freshDatabase();
    const { url } = database;
    t.after(() => database.drop());
    await openOnce(url);
    const role = `reader_${randomUUID().slice(0, 8)}`;
    await withClient(url, async (client) => {
      await client.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA postrider TO ${role};
      GRANT SELECT ON postrider.history_messages TO ${role}`);
      for (const [version, after] of [
        [0, VIEWS_VERSION],
        [99, 99],
      ]) {
        await client.query(
          `COMMENT ON VIEW postrider.history_messages IS 'postrider views ${version}'`,
        );
        await openOnce(url);
        assert.equal(await saidBy(client), `postrider views ${after}`);
      }
      await client.query(`SET ROLE ${role}`);
      await client.query("SELECT count(*) FROM postrider.history_messages");
      await assert.rejects(
        client.query("SELECT count(*) FROM postrider.facts"),
        /permission denied/,
      );
      await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
    });
  },
);

test("a role that may not create anything opens the store without them", { skip }, async (t) => {
  const database = await freshDatabase();
  const { url } = database;
  t.after(() => database.drop());
  await openOnce(url);
  const role = `writer_${randomUUID().slice(0, 8)}`;
  await withClient(url, async (client) => {
    const names = HISTORY_VIEWS.map(({ name }) => `postrider.${name}`).join(", ");
    await client.query(`DROP VIEW ${names}; CREATE ROLE ${role} LOGIN PASSWORD 'word';
      GRANT USAGE ON SCHEMA postrider TO ${role};
      GRANT ALL ON ALL TABLES IN SCHEMA postrider TO ${role};
      GRANT ALL ON ALL SEQUENCES IN SCHEMA postrider TO ${role}`);
    const asRole = new URL(url);
    asRole.username = role;
    asRole.password = "word";
    await openOnce(asRole.href);
    const { rows } = await client.query("SELECT to_regclass('postrider.history_messages') AS name");
    assert.deepEqual(rows, [{ name: null }]);
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
});
