/**
 * Schemas for stores that are opened by the hundred: to make the tables of one takes more processor
 * time than most tests. All lie in one database of this process; a schema whose store was closed is
 * put back as the migrations left it, and serves the next store.
 */
import type { Client } from "pg";
import { type FreshDatabase, freshDatabase, withClient } from "./postgres-url.ts";

export interface KeptSchema {
  readonly url: string;
  readonly schema: string;
  /** To be called when its store is closed. */
  giveBack(): Promise<void>;
}

let database: Promise<FreshDatabase> | undefined;
let schemas = 0;
const pristine: string[] = [];

export async function takeSchema(): Promise<KeptSchema> {
  database ??= freshDatabase();
  const { url } = await database;
  const schema = pristine.pop() ?? `store_${++schemas}`;
  const giveBack = async (): Promise<void> => {
    await withClient(url, (client) => restore(client, schema));
    pristine.push(schema);
  };
  return { url, schema, giveBack };
}

/** The migrations leave one row, that of the service, and numbers that begin at their first. */
async function restore(client: Client, schema: string): Promise<void> {
  await client.query(`
    DO $$
    DECLARE name text;
    BEGIN
      SET LOCAL search_path = ${schema};
      FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = '${schema}' AND tablename NOT IN ('schema_info', 'service')
      LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
      PERFORM setval(format('%I', sequencename)::regclass, start_value, false) FROM pg_sequences
        WHERE schemaname = '${schema}' AND last_value IS NOT NULL;
      UPDATE service SET record = '{"operator":null,"isPaused":false}';
    END $$`);
}
