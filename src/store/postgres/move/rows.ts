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
import { allColumns, namesOf } from "../../records/table.ts";
import { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";

/** A move has the connections that it needs at once, and patience. */
export function connectForMove(url: string, schema: string): Connections {
  return new Connections({ url, schema, connectionsMax: 4, replyTimeoutMs: 600_000 });
}

export const PATIENT = { statementTimeoutMs: 0, lockTimeoutMs: 10_000 } as const;

export async function readCatalog(session: Session): Promise<CatalogColumn[]> {
  return (await session.query(CATALOG_SQL)).map((row) => ({
    table: row["table"] as string,
    name: row["name"] as string,
    type: row["type"] as string,
    isNullable: row["not_null"] === false,
    keyPosition: row["key_position"] as number | null,
  }));
}

export async function readPage(
  session: Session,
  table: MovedTable,
  range: RowRange,
): Promise<MovedPage> {
  const { text, values } = rangeSql(table, range, joinByKey);
  const columns = namesOf(allColumns(table));
  const rows = (await session.query(pageSql(table, columns, text), values)) as MovedRow[];
  const found = Number(rows[0]?.["page_rows"] ?? 0);
  return { rows, isLast: rows.length === found && found < PAGE_ROWS };
}

export async function readCounts(
  session: Session,
  tables: readonly MovedTable[],
): Promise<number[]> {
  const counts = tables.map(({ name }) => session.query(`SELECT count(*) AS count FROM ${name}`));
  return (await Promise.all(counts)).map(([row]) => row!["count"] as number);
}

/** Each row is looked up by itself, by a plan the server cannot change. */
function joinByKey(table: string, json: string, hasKey: string): string {
  return `jsonb_array_elements(${json}::jsonb) AS k (value)
    CROSS JOIN LATERAL (SELECT * FROM ${table} t WHERE ${hasKey} OFFSET 0) t`;
}

/** The rows of a range up to the one that fills the page; all have how many there would be. */
function pageSql({ key, columns }: MovedTable, names: readonly string[], range: string): string {
  const keys = namesOf(key).join(", ");
  const lengths = columns
    .filter(([, type]) => type.startsWith("long text") || type.startsWith("bytea"))
    .map(([name]) => `coalesce(octet_length(${name}), 0)`);
  return `SELECT ${names.join(", ")}, page_rows FROM (
      SELECT *, count(*) OVER () AS page_rows, sum(page_bytes) OVER (ORDER BY ${keys}) AS page_end
      FROM (SELECT *, ${["0::bigint", ...lengths].join(" + ")} AS page_bytes FROM (
        SELECT t.* ${range}) ranged) measured) summed
    WHERE page_end - page_bytes < ${PAGE_BYTES} ORDER BY ${keys}`;
}

const CATALOG_SQL = `SELECT c.relname AS table, a.attname AS name,
    format_type(a.atttypid, NULL) AS type, a.attnotnull AS not_null,
    array_position(i.indkey::int2[], a.attnum) AS key_position
  FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
  ORDER BY c.relname, a.attnum`;
