/** The columns that hold settings as text, read and replaced past the store. */
import { DatabaseSync } from "node:sqlite";
import { withClient } from "../../support/postgres-url.ts";

/** The tables with such a column, their key and that column. */
const COLUMNS = [
  ["facts", "message_id", "facts"],
  ["run_facts", "run_id", "facts"],
  ["schedule_settings", "schedule_id", "settings"],
  ["waiters", "event_id", "record"],
] as const;

/** What each row holds, by table and key. */
export type StoredTexts = Readonly<Record<string, string>>;

/** A database of either driver. */
export interface Database {
  select(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  set(sql: { readonly sqlite: string; readonly postgres: string }, values: string[]): Promise<void>;
}

export function sqliteDatabase(path: string): Database {
  const use = <Value>(work: (database: DatabaseSync) => Value): Promise<Value> => {
    const database = new DatabaseSync(path);
    const value = work(database);
    database.close();
    return Promise.resolve(value);
  };
  return {
    select: (sql) => use((database) => database.prepare(sql).all()),
    set: ({ sqlite }, values) => use((database) => void database.prepare(sqlite).run(...values)),
  };
}

export function postgresDatabase(url: string): Database {
  return {
    select: async (sql) => (await withClient(url, (client) => client.query(sql))).rows,
    set: async ({ postgres }, values) => {
      await withClient(url, (client) => client.query(postgres, values));
    },
  };
}

export async function storedTexts(database: Database): Promise<StoredTexts> {
  const texts: Record<string, string> = {};
  for (const [table, key, column] of COLUMNS) {
    const rows = await database.select(`SELECT ${key} AS key, ${column} AS text FROM ${table}`);
    for (const row of rows) texts[`${table} ${String(row["key"])}`] = String(row["text"]);
  }
  return texts;
}

export async function replaceTexts(database: Database, texts: StoredTexts): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    const [table, id = ""] = name.split(" ");
    const [, key, column] = COLUMNS.find(([known]) => known === table)!;
    const update = `UPDATE ${table} SET ${column} =`;
    await database.set(
      {
        sqlite: `${update} ?1 WHERE ${key} = ?2`,
        postgres: `${update} $1 WHERE ${key} = $2`,
      },
      [text, id],
    );
  }
}
