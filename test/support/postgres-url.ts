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

export async function freshDatabase(): Promise<FreshDatabase> {
  const server = await postgresUrl();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await execute(server, `CREATE DATABASE ${name}`);
  // Tests look into the tables of a service without naming its schema.
  await execute(server, `ALTER DATABASE ${name} SET search_path = postrider, public`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
