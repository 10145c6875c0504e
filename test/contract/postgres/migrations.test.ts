import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Client } from "pg";

import type { LogFields } from "../../../src/platform/log.ts";
import { Connections } from "../../../src/store/postgres/driver/connection.ts";
import { migrate } from "../../../src/store/postgres/upkeep/migrate.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { PROGRAM } from "../../../src/store/schema.ts";
import { ROOT } from "../../house/sources.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { freshDatabase, postgresMissing } from "../../support/postgres-url.ts";

const skip = postgresMissing();

test("of four nodes that start at once each migration is applied by one", { skip }, async () => {
  const database = await freshDatabase();
  const connections = Array.from(
    { length: 4 },
    () => new Connections({ url: database.url, connectionsMax: 1 }),
  );
  const applied = await Promise.all(connections.map((each) => migrate(each)));
  const names = globSync("*.sql", { cwd: join(ROOT, "src/store/postgres/migrations") });
  assert.deepEqual(applied.flat().toSorted(), names.toSorted());
  await Promise.all(connections.map((each) => each.close()));
  await database.drop();
});

test("a store that only newer programs may use is refused", { skip }, async () => {
  const database = await freshDatabase();
  const options = { url: database.url, clock: new ManualClock() };
  await (await PostgresStore.open(options)).close();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query("UPDATE schema_info SET oldest_program = $1", [PROGRAM + 1]);
  await client.end();
  await assert.rejects(PostgresStore.open(options), /newer postrider/);
  await database.drop();
});

test("a server that may forget what it was told is warned of", { skip }, async () => {
  const database = await freshDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ fsync: string }>("SHOW fsync");
  await client.end();
  const warned: unknown[] = [];
  const log = {
    info: () => undefined,
    warn: (_: string, fields?: LogFields) => void warned.push(fields?.["setting"]),
    error: () => undefined,
  };
  const store = await PostgresStore.open({ url: database.url, clock: new ManualClock(), log });
  await store.close();
  assert.equal(warned.includes("fsync"), rows[0]?.fsync === "off");
  await database.drop();
});
