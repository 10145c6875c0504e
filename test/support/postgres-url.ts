/** The PostgreSQL that test files share, and an empty database on it for each test that wants one. */
import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { startPostgres } from "./postgres-server.ts";

export interface FreshDatabase {
  readonly url: string;
  /** Removes the database, ending connections that are still open. */
  drop(): Promise<void>;
}

/**
 * The server of the whole run, or, where a file is run by itself, one of its own that ends with the
 * process.
 */
export async function postgresUrl(): Promise<string> {
  const shared = process.env["TEST_POSTGRES_URL"];
  if (shared !== undefined) return shared;
  ownServer ??= startPostgres();
  return (await ownServer).url;
}

let ownServer: ReturnType<typeof startPostgres> | undefined;

/** Why there is no PostgreSQL, for `test(name, { skip: postgresMissing() }, ...)`; false if there is. */
export function postgresMissing(): string | false {
  return process.env["TEST_POSTGRES_MISSING"] ?? false;
}

export function freshDatabase(): Promise<FreshDatabase> {
  return copyDatabase("template1");
}

/**
 * A database that holds the empty tables of a service already, where the run has made one to copy;
 * an empty database otherwise, in which the service makes them.
 */
export function migratedDatabase(): Promise<FreshDatabase> {
  return copyDatabase(process.env["TEST_POSTGRES_TEMPLATE"] ?? "template1");
}

/** Does something with a connection of its own. */
export async function withClient<Value>(
  url: string,
  use: (client: Client) => Promise<Value>,
): Promise<Value> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function copyDatabase(template: string): Promise<FreshDatabase> {
  const server = await postgresUrl();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await withClient(server, async (client) => {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${await strategyOf(client)}`);
    // Tests look into the tables of a service without naming its schema.
    await client.query(`ALTER DATABASE ${name} SET search_path = postrider, public`);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      const statement = `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`;
      await withClient(server, (client) => client.query(statement));
    },
  };
}

/** Copying files takes a quarter of the processor time of logging them, and is all that 14 can do. */
async function strategyOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  return rows[0]!.version < 150_000 ? "" : "STRATEGY file_copy";
}
