import type { StatementSync } from "node:sqlite";
import {
  type CatalogColumn,
  type MovedPage,
  type MovedRow,
  type MovedTable,
  PAGE_BYTES,
  PAGE_ROWS,
  rangeSql,
  type RowRange,
} from "../../move/moved-table.ts";
import { allColumns, type ColumnValue, namesOf } from "../../records/table.ts";
import { type Database, prepareShared } from "../thread/connection.ts";

/** Rows of any table of a database, in the form in which PostgreSQL has them. */
export class MovedRows {
  readonly #database: Database;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: Database) {
    this.#database = database;
  }

  catalog(): CatalogColumn[] {
    return this.#database
      .prepare(CATALOG_SQL)
      .all()
      .map((row) => ({
        table: row["table"] as string,
        name: row["name"] as string,
        type: null,
        isNullable: row["not_null"] === 0,
        keyPosition: row["key_position"] as number | null,
      }));
  }

  page(table: MovedTable, range: RowRange): MovedPage {
    const { text, values } = rangeSql(table, range, joinByKey);
    const columns = namesOf(allColumns(table)).map((name) => `t.${name}`);
    const statement = this.#prepare(`SELECT ${columns.join(", ")} ${text}`);
    const rows: MovedRow[] = [];
    let bytes = 0;
    for (const row of statement.iterate(...values)) {
      rows.push(toMoved(table, row as Record<string, ColumnValue>));
      bytes += bytesOf(row as MovedRow);
      if (bytes > PAGE_BYTES) return { rows, isLast: false };
    }
    return { rows, isLast: rows.length < PAGE_ROWS };
  }

  counts(tables: readonly MovedTable[]): number[] {
    return tables.map(({ name }) => {
      const row = this.#prepare(`SELECT count(*) AS count FROM ${name}`).get();
      return row!["count"] as number;
    });
  }

  #prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = prepareShared(this.#database, text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

function joinByKey(table: string, json: string, hasKey: string): string {
  return `json_each(${json}) AS k CROSS JOIN ${table} AS t ON ${hasKey}`;
}

/** SQLite has no booleans, and stores what PostgreSQL leaves out of a text. */
function toMoved(table: MovedTable, row: Record<string, ColumnValue>): MovedRow {
  for (const [name, type] of allColumns(table)) {
    const value = row[name]!;
    if (type.startsWith("boolean")) row[name] = value === null ? null : Boolean(value);
    else if (typeof value === "string" && value.includes("\0")) {
      row[name] = value.replaceAll("\0", "");
    }
  }
  return row;
}

function bytesOf(row: MovedRow): number {
  let bytes = 0;
  for (const value of Object.values(row)) {
    if (typeof value === "string") bytes += value.length;
    else if (value instanceof Uint8Array) bytes += value.byteLength;
  }
  return bytes;
}

/** A table without a primary key has a unique constraint in its place. */
const CATALOG_SQL = `SELECT found.name AS "table", c.name, c."notnull" AS not_null,
    coalesce(nullif(c.pk, 0), (
      SELECT part.seqno + 1 FROM pragma_index_list(found.name) i, pragma_index_info(i.name) part
      WHERE i.origin = 'u' AND part.name = c.name
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info(found.name) WHERE pk > 0))) AS key_position
  FROM sqlite_schema found, pragma_table_info(found.name) c
  WHERE found.type = 'table' AND found.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY found.name, c.cid`;
