import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { Pool } from "pg";

import { Connections } from "../../src/store/postgres/driver/connection.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { fetchPackages } from "./fetched-packages.ts";
import { cpuUs, familyCpuUs } from "./process-stats.ts";

/**
 * `node scripts/bootstrap.mjs test/bench/drivers.ts`: one transaction of four statements, each for 30
 * rows, by our batches on `pg`, by `pg` alone and by `postgres`, in turns. Each turn is a median.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    transactions: { type: "string", default: "1500" },
  },
});
const ROUNDS = Number(values.rounds);
const TRANSACTIONS = Number(values.transactions);
const ROWS = 30;
const POSTGRES_JS = "postgres@3.4.9";

/** As many as `Connections` sends. */
const SETTINGS = ["seqscan", "sort", "incremental_sort", "hashjoin", "mergejoin"]
  .map((way) => `SET LOCAL enable_${way} = off;`)
  .concat(
    "SET LOCAL jit = off; SET LOCAL plan_cache_mode = force_generic_plan;",
    "SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 10000;",
    "SET LOCAL lock_timeout = 2000; SET LOCAL idle_in_transaction_session_timeout = 15000;",
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, pg_backend_pid()",
  )
  .join(" ");
const TABLE = `CREATE TABLE jobs (account text, id bigint, state text, ready_at bigint,
  attempts bigint, url text, headers text, body bytea, PRIMARY KEY (account, id))`;
const SQL = {
  insert: `INSERT INTO jobs SELECT unnest($1::text[]), unnest($2::bigint[]), unnest($3::text[]),
    unnest($4::bigint[]), unnest($5::bigint[]), unnest($6::text[]), unnest($7::text[]), '\\x00'`,
  read: `SELECT * FROM jobs WHERE account = $1 AND id = ANY($2::bigint[])`,
  change: `UPDATE jobs SET state = 'sent' WHERE account = $1 AND id = ANY($2::bigint[])`,
  remove: `DELETE FROM jobs WHERE account = $1 AND id = ANY($2::bigint[])`,
};
type Statement = readonly [text: string, values: unknown[]];

let lastId = 0;

/** Adds rows, and reads, changes and removes them. */
function nextTransaction(): Statement[] {
  const ids = Array.from({ length: ROWS }, () => ++lastId);
  const each = (value: unknown) => ids.map(() => value);
  const url = "https://example.com/a/path/of/usual/length";
  const columns = [each("account"), ids, each("new"), ids, each(0), each(url), each("{}")];
  return [
    [SQL.insert, columns],
    [SQL.read, ["account", ids]],
    [SQL.change, ["account", ids]],
    [SQL.remove, ["account", ids]],
  ];
}

/** One way to run a transaction. */
interface Driver {
  readonly name: string;
  run(statements: readonly Statement[]): Promise<unknown>;
  close(): Promise<void>;
}

function ownBatches(url: string): Driver {
  const connections = new Connections({ url, connectionsMax: 1 });
  return {
    name: "pg, our batches",
    run: (statements) =>
      connections.transaction(async (session) => {
        const others = statements.slice(0, -1).map(([text, given]) => session.query(text, given));
        await Promise.all([...others, session.last(...statements.at(-1)!)]);
      }),
    close: () => connections.close(),
  };
}

function plainPg(url: string): Driver {
  const pool = new Pool({ connectionString: url, max: 1, pipeline: true });
  return {
    name: "pg, pipeline mode",
    run: async (statements) => {
      const client = await pool.connect();
      const begun = client.query(`BEGIN; ${SETTINGS}`);
      const named = statements.map(([text, given], index) =>
        client.query({ name: `s${index}`, text, values: given }),
      );
      await Promise.all([begun, ...named, client.query("COMMIT")]);
      client.release();
    },
    close: () => pool.end(),
  };
}

interface PostgresJs {
  begin(work: (sql: PostgresJs) => unknown[]): Promise<unknown>;
  unsafe(text: string, values?: unknown[], options?: object): unknown;
  end(): Promise<void>;
}

async function postgresJs(url: string): Promise<Driver> {
  const folder = fetchPackages(POSTGRES_JS.replace("@", "-"), [POSTGRES_JS]);
  const module = await import(pathToFileURL(join(folder, "postgres/src/index.js")).href);
  const connect = module.default as (url: string, options: object) => PostgresJs;
  const sql = connect(url, { max: 1, onnotice: () => undefined });
  return {
    name: "postgres",
    run: (statements) =>
      sql.begin((begun) => [
        begun.unsafe(SETTINGS),
        ...statements.map(([text, given]) => begun.unsafe(text, given, { prepare: true })),
      ]),
    close: () => sql.end(),
  };
}

const server = await startPostgres({ durable: false });
const setup = new Pool({ connectionString: server.url, max: 1 });
await setup.query(TABLE);
await setup.end();
const drivers = [ownBatches(server.url), plainPg(server.url), await postgresJs(server.url)];
const measured = new Map(drivers.map(({ name }) => [name, { own: [0], server: [0], took: [0] }]));
for (const results of measured.values()) for (const list of Object.values(results)) list.pop();

for (let round = 0; round <= ROUNDS; round++) {
  for (const driver of drivers) {
    const before = [
      cpuUs(process.pid),
      familyCpuUs(server.pid),
      performance.now() * 1_000,
    ] as const;
    for (let done = 0; done < TRANSACTIONS; done++) await driver.run(nextTransaction());
    const after = [cpuUs(process.pid), familyCpuUs(server.pid), performance.now() * 1_000] as const;
    // The first round warms up.
    if (round === 0) continue;
    const results = measured.get(driver.name)!;
    results.own.push((after[0] - before[0]) / TRANSACTIONS);
    results.server.push((after[1] - before[1]) / TRANSACTIONS);
    results.took.push((after[2] - before[2]) / TRANSACTIONS);
  }
}
for (const [name, { own, server: served, took }] of measured) {
  const [ownUs, serverUs, tookUs] = [own, served, took].map((list) => median(list).toFixed(0));
  console.log(`${name.padEnd(18)} ${ownUs} us, ${serverUs} us in the server, ${tookUs} us elapsed`);
}
await Promise.all(drivers.map((driver) => driver.close()));
await server.stop();

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? NaN;
}
