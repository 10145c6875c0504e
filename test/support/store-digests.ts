/** What two stores hold, in a form in which SQLite and PostgreSQL can be compared. */
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { withClient } from "./postgres-url.ts";

export interface Digest {
  readonly rows: number;
  readonly sha256: string;
}

/** Of every table that belongs to the data, and not to one database. */
export type Digests = Readonly<Record<string, Digest>>;

const OWN = ["schema_info", "nodes", "sequences", "move_changes", "move_progress"];
const PAGE = 5_000;

export function sqliteDigests(path: string): Digests {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const found = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .all();
    const names = found.map(({ name }) => String(name)).filter((name) => !OWN.includes(name));
    return Object.fromEntries(
      names.map((name) => {
        const sum = new RowSum(name);
        for (const row of database.prepare(`SELECT * FROM ${name}`).iterate()) sum.add(row);
        return [name, sum.digest];
      }),
    );
  } finally {
    database.close();
  }
}

export function postgresDigests(url: string, schema = "postrider"): Promise<Digests> {
  return withClient(url, async (client) => {
    const found = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
        WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace`,
    );
    const digests: Record<string, Digest> = {};
    await client.query("BEGIN");
    for (const { name } of found.rows.filter((row) => !OWN.includes(row.name))) {
      const sum = new RowSum(name);
      await client.query(`DECLARE each_row CURSOR FOR SELECT * FROM ${schema}.${name}`);
      for (let isLast = false; !isLast;) {
        const { rows } = await client.query<Row>(`FETCH ${PAGE} FROM each_row`);
        for (const row of rows) sum.add(row);
        isLast = rows.length < PAGE;
      }
      await client.query("CLOSE each_row");
      digests[name] = sum.digest;
    }
    await client.query("COMMIT");
    return digests;
  });
}

type Row = Readonly<Record<string, unknown>>;

/** Adds the hashes of rows, so that their order does not matter. */
class RowSum {
  readonly #table: string;
  readonly #sum = Buffer.alloc(32);
  #rows = 0;

  constructor(table: string) {
    this.#table = table;
  }

  get digest(): Digest {
    return { rows: this.#rows, sha256: this.#sum.toString("hex") };
  }

  add(row: Row): void {
    this.#rows += 1;
    const names = Object.keys(row).toSorted();
    const values = names.map((name) => [name, this.#plain(name, row[name])]);
    const hash = createHash("sha256").update(JSON.stringify(values)).digest();
    let carry = 0;
    for (let index = 0; index < hash.length; index++) {
      carry += this.#sum[index]! + hash[index]!;
      this.#sum[index] = carry & 0xff;
      carry >>= 8;
    }
  }

  #plain(column: string, value: unknown): unknown {
    if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
    if (typeof value === "boolean") return String(Number(value));
    if (this.#table !== "service") return value === null ? null : `${value as string | number}`;
    if (column !== "record") return "";
    const { operator, isPaused } = JSON.parse(value as string) as Row;
    return JSON.stringify({ operator, isPaused });
  }
}
