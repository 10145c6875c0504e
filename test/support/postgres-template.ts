/** A database with the tables of a service in it, made once for a whole run and copied by its tests. */
import { systemClock } from "../../src/platform/clock.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { type FreshDatabase, freshDatabase } from "./postgres-url.ts";

/** Test files find it by its name in TEST_POSTGRES_TEMPLATE. */
export async function makeTemplate(): Promise<FreshDatabase> {
  const database = await freshDatabase();
  const store = await PostgresStore.open({
    url: database.url,
    clock: systemClock,
    schema: "postrider",
  });
  await store.close();
  process.env["TEST_POSTGRES_TEMPLATE"] = new URL(database.url).pathname.slice(1);
  return database;
}
