import { type ViewDialect, viewQuery } from "../../records/history-view.ts";
import { HISTORY_VIEWS } from "../../records/history-views.ts";
import { type Database, transaction } from "../thread/connection.ts";

const pathOf = (path: readonly string[]): string => `'$.${path.join(".")}'`;
const text = (json: string, ...path: readonly string[]): string => `${json} ->> ${pathOf(path)}`;

export const DIALECT: ViewDialect = {
  text,
  integer: text,
  flag: (json, ...path) => `coalesce(${text(json, ...path)}, 0)`,
  joined: (json, ...path) =>
    `(SELECT group_concat(value, ',') FROM json_each(${json}, ${pathOf(path)}))`,
  host: (url) => `(SELECT lower(substr(authority, instr(authority, '@') + 1)) FROM (
      SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS authority FROM (
        SELECT replace(replace(substr(url, instr(url, '://') + 3), '?', '/'), '#', '/') AS rest
        FROM (SELECT ${url} AS url))))`,
  decoded: (body) => `CAST(${body} AS TEXT)`,
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
};

/** Creates the views of the history, and anew those that another version has created. */
export function createViews(database: Database): void {
  const find = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?");
  const changed = HISTORY_VIEWS.map((view) => ({
    name: view.name,
    sql: `CREATE VIEW ${view.name} AS ${viewQuery(view, DIALECT)}`,
  })).filter(({ name, sql }) => find.get(name)?.["sql"] !== sql);
  if (changed.length === 0) return;
  transaction(database, () => {
    for (const { name, sql } of changed) database.exec(`DROP VIEW IF EXISTS ${name}; ${sql}`);
  });
}
