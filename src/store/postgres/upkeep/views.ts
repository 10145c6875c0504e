import { type ViewDialect, viewQuery } from "../../records/history-view.ts";
import { HISTORY_VIEWS, VIEWS_VERSION } from "../../records/history-views.ts";
import { lockSchema } from "../claim/line-lock.ts";
import type { Session } from "../driver/conversation.ts";

/**
 * PostgreSQL reads no text with these escapes, which JavaScript writes for NUL and for half of a
 * surrogate pair: they are shown as the replacement character.
 */
const UNREADABLE = String.raw`((?<!\\)(?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})`;
const readable = (json: string): string =>
  `(CASE WHEN strpos(${json}, '\\u') = 0 THEN ${json}
    ELSE regexp_replace(${json}, '${UNREADABLE}', '\\1\\\\ufffd', 'g') END)::json`;
const member = (operator: string, json: string, path: readonly string[]): string =>
  `${readable(json)} ${operator} '{${path.join(",")}}'`;
const text = (json: string, ...path: readonly string[]): string => `(${member("#>>", json, path)})`;

export const DIALECT: ViewDialect = {
  text,
  integer: (json, ...path) => `${text(json, ...path)}::bigint`,
  flag: (json, ...path) => `CASE WHEN ${text(json, ...path)} = 'true' THEN 1 ELSE 0 END`,
  joined: (json, ...path) =>
    `(SELECT string_agg(value, ',' ORDER BY nth)
      FROM json_array_elements_text(${member("#>", json, path)}) WITH ORDINALITY AS item (value, nth))`,
  host: (url) => `lower(substring(${url} FROM '://(?:[^/?#@]*@)?([^/?#]*)'))`,
  decoded: (body) => `convert_from(${body}, 'UTF8')`,
  now: "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
};

export const VIEW_STATEMENTS: readonly string[] = HISTORY_VIEWS.map(
  (view) => `CREATE OR REPLACE VIEW ${view.name} AS ${viewQuery(view, DIALECT)}`,
);

/**
 * Creates the views of the history, or replaces those of an earlier version; rights that were granted
 * on them stay. A node of an earlier version leaves those of a later one as they are. Where the role
 * may not create anything in the schema, there are none.
 */
export async function createViews(session: Session): Promise<void> {
  if ((await viewsVersion(session)) >= VIEWS_VERSION) return;
  await lockSchema(session);
  if ((await viewsVersion(session)) >= VIEWS_VERSION) return;
  const [{ may_create: mayCreate } = {}] = await session.query(MAY_CREATE);
  if (mayCreate !== true) return;
  const mark = `COMMENT ON VIEW ${HISTORY_VIEWS[0]!.name} IS '${MARK}${VIEWS_VERSION}'`;
  await session.script([...VIEW_STATEMENTS, mark].join(";\n"));
}

async function viewsVersion(session: Session): Promise<number> {
  const [row] = await session.query(VERSION, [HISTORY_VIEWS[0]!.name]);
  const said = (row?.["said"] ?? "") as string;
  return said.startsWith(MARK) ? Number(said.slice(MARK.length)) : 0;
}

const MARK = "postrider views ";
const VERSION = "SELECT obj_description(to_regclass($1), 'pg_class') AS said";
const MAY_CREATE = `SELECT has_schema_privilege(current_schema(), 'CREATE')
  AND NOT EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace
    AND relkind = 'v' AND NOT pg_has_role(relowner, 'USAGE')) AS may_create`;
