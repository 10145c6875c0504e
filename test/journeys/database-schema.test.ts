/** Where the tables are in PostgreSQL, and which databases the service leaves alone. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { freshFolder } from "../support/fresh-folder.ts";
import { Command } from "../support/command.ts";
import type { Item } from "../support/account-calls.ts";
import {
  type FreshDatabase,
  freshDatabase,
  postgresMissing,
  withClient,
} from "../support/postgres-url.ts";

const skip = postgresMissing();
const SECRET_KEY = "0123456789abcdef0123456789abcdef0123456789ab";

test("dev does not touch the database of another program", { skip }, async (t) => {
  const database = await plainDatabase(t);
  const command = new Command(["dev", "--port", "0", "--data", freshFolder(t), "--log", "pretty"], {
    DATABASE_URL: database.url,
  });
  await command.says(/Data +\S+postrider\.db {2}\(SQLite/);
  await command.stop();
  assert.deepEqual(await tables(database), []);
});

test("every table is in the schema postrider, which the ready block names", { skip }, async (t) => {
  const database = await plainDatabase(t);
  const command = serve(t, database.url, ["--log", "pretty"]);
  const [line] = await command.says(/^ +Data .*$/m);
  const { host, pathname } = new URL(database.url);
  assert.match(
    line,
    new RegExp(`PostgreSQL at ${host}, database ${pathname.slice(1)}, schema postrider `),
  );
  await command.stop();
  const found = await tables(database);
  assert.ok(found.length > 10);
  assert.deepEqual([...new Set(found.map(({ schema }) => schema))], ["postrider"]);
});

test(
  "--database-schema chooses another, and two services share a database",
  { skip },
  async (t) => {
    const database = await plainDatabase(t);
    for (const schema of ["first_one", "second_one"]) {
      const command = serve(t, database.url, ["--database-schema", schema]);
      // Each is a new service: it says credentials of its own.
      await command.says(/^POSTRIDER_TOKEN=/m);
      await command.stopWhenReady();
    }
    const schemas = new Set((await tables(database)).map(({ schema }) => schema));
    assert.deepEqual([...schemas].map(String).toSorted(), ["first_one", "second_one"]);
  },
);

for (const made of [
  ["users", "CREATE TABLE users (id int)"],
  ["schema_info", "CREATE TABLE schema_info (version text)"],
  ["seen", "CREATE VIEW seen AS SELECT 1"],
] as const) {
  test(`a schema that holds ${made[0]} of another program is left alone`, { skip }, async (t) => {
    const database = await plainDatabase(t);
    await database.query(made[1]);
    const before = await tables(database);
    const command = serve(t, database.url, ["--database-schema", "public"]);
    assert.equal(await command.refuses(), 1);
    assert.match(
      command.errors,
      new RegExp(
        `^postrider: the schema public of the database \\w+ holds tables of another program \\(${made[0]}\\).*--database-schema.*\n$`,
      ),
    );
    assert.deepEqual(await tables(database), before);
  });
}

test("a schema that is refused is not proposed again", { skip }, async (t) => {
  const database = await plainDatabase(t);
  await database.query("CREATE SCHEMA postrider; CREATE TABLE postrider.users (id int)");
  const command = serve(t, database.url, []);
  assert.equal(await command.refuses(), 1);
  assert.match(command.errors, /the schema postrider .* such as postrider_2\n$/);
});

/** As programs from before the first release left it. */
const OLD_LAYOUT = `CREATE TABLE schema_info (version integer NOT NULL, oldest_program integer NOT NULL);
  INSERT INTO schema_info VALUES (15, 3); CREATE TABLE messages (message_id text)`;

test("data of an earlier layout in public is not passed over", { skip }, async (t) => {
  const database = await plainDatabase(t);
  await database.query(OLD_LAYOUT);
  const before = await tables(database);
  const environment = { POSTRIDER_DATABASE_URL: database.url, POSTRIDER_SECRET_KEY: SECRET_KEY };
  for (const command of [
    serve(t, database.url, []),
    new Command(["migrate"], environment),
    new Command(["account", "list"], environment),
  ]) {
    assert.equal(await command.refuses(), 1);
    assert.match(
      command.errors,
      /^postrider: the schema public of the database \w+ holds the data of a postrider from before .*--database-url.*\n$/m,
    );
    assert.deepEqual(await tables(database), before);
  }
  await database.query("ALTER TABLE public.schema_info RENAME TO old_schema_info");
  await serve(t, database.url, []).stopWhenReady();
});

for (const [what, made] of [
  ["other columns", "CREATE TABLE schema_info (version integer NOT NULL, name text)"],
  [
    "one column more",
    "CREATE TABLE schema_info (version integer NOT NULL, oldest_program integer NOT NULL, at text)",
  ],
  ["no row", OLD_LAYOUT.replace(/INSERT[^;]+;/, "")],
  ["a row that is not ours", OLD_LAYOUT.replace("(15, 3)", "(15, 0)")],
  ["the layout of today", OLD_LAYOUT.replace("(15, 3)", "(1, 8)")],
] as const) {
  test(`a table of that name with ${what} in public stops no start`, { skip }, async (t) => {
    const database = await plainDatabase(t);
    await database.query(made);
    await serve(t, database.url, []).stopWhenReady();
  });
}

function serve(t: TestContext, url: string, flags: readonly string[]): Command {
  return Command.serve(t, ["--data", freshFolder(t), ...flags], {
    POSTRIDER_DATABASE_URL: url,
    POSTRIDER_SECRET_KEY: SECRET_KEY,
  });
}

interface PlainDatabase extends FreshDatabase {
  query(sql: string): Promise<Item[]>;
}

/** As a server hands it out: names are looked for in the schema public. */
async function plainDatabase(t: TestContext): Promise<PlainDatabase> {
  const database = await freshDatabase();
  t.after(() => database.drop());
  const query = (sql: string): Promise<Item[]> =>
    withClient(database.url, async (client) => (await client.query<Item>(sql)).rows);
  await query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET search_path = public`);
  return { ...database, query };
}

function tables(database: PlainDatabase): Promise<Item[]> {
  return database.query(`SELECT n.nspname AS schema, c.relname AS name FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname !~ '^(pg_|information_schema)' AND c.relkind IN ('r', 'v') ORDER BY 1, 2`);
}
