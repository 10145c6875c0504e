/** A view of the history: how its columns are declared, and its query in each database. */

/** How a database reads the members of a JSON text, and the few other things that differ. */
export interface ViewDialect {
  readonly text: (json: string, ...path: readonly string[]) => string;
  readonly integer: (json: string, ...path: readonly string[]) => string;
  /** 1 or 0. */
  readonly flag: (json: string, ...path: readonly string[]) => string;
  /** The texts of an array, with commas between them; null when there is none. */
  readonly joined: (json: string, ...path: readonly string[]) => string;
  /** The host of a URL, with its port if it names one. */
  readonly host: (url: string) => string;
  /** A body that is JSON in UTF-8, as text. */
  readonly decoded: (body: string) => string;
  readonly now: string;
}

export type Sql = (dialect: ViewDialect) => string;

export interface ViewColumn {
  readonly name: string;
  readonly type: "text" | "integer";
  readonly says: string;
  readonly sql: Sql;
}

export interface HistoryView {
  readonly name: string;
  readonly says: string;
  /** Null for a view without a table. */
  readonly from: string | null;
  readonly columns: readonly ViewColumn[];
}

export const text = (name: string, says: string, sql: string | Sql): ViewColumn => ({
  name,
  type: "text",
  says,
  sql: typeof sql === "string" ? () => sql : sql,
});
export const integer = (name: string, says: string, sql: string | Sql): ViewColumn => ({
  ...text(name, says, sql),
  type: "integer",
});

/** The query of a view. */
export function viewQuery({ from, columns }: HistoryView, dialect: ViewDialect): string {
  const selected = columns.map(({ name, sql }) => `${sql(dialect)} AS ${name}`);
  return `SELECT ${selected.join(",\n  ")}${from === null ? "" : `\nFROM ${from}`}`;
}

/** The word that a column stands for as its index. */
export function wordOf(column: string, words: readonly string[]): string {
  const cases = words.map((word, index) => `WHEN ${index} THEN '${word}'`);
  return `CASE ${column} ${cases.join(" ")} END`;
}
