/** The process of `postrider query` that reads SQLite. It answers one question and ends. */
import { constants, DatabaseSync } from "node:sqlite";
import { HISTORY_VIEWS } from "../../store/records/history-views.ts";

export interface QueryRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export type QueryAnswer = QueryRows | { readonly error: string };

interface Question {
  readonly path: string;
  readonly text: string;
}

process.once("message", (question) => {
  process.send!(answerTo(question as Question), () => process.disconnect());
});

function answerTo({ path, text }: Question): QueryAnswer {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    database.exec("PRAGMA busy_timeout = 5000; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY");
    allowViewsOnly(database);
    const statement = database.prepare(text);
    if (statement.expandedSQL.length < text.length) return { error: "more than one statement" };
    const columns = statement.columns().map(({ name }) => name);
    const rows = statement.all().map((row) => columns.map((name) => row[name]));
    database.close();
    return { columns, rows };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Tables are read only inside of a view. Node 22 cannot tell: there a query reads tables too. */
function allowViewsOnly(database: DatabaseSync): void {
  const views = new Set(HISTORY_VIEWS.map(({ name }) => name));
  const found = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const tables = new Set(["sqlite_master", "sqlite_schema", ...found.map(({ name }) => name)]);
  if (!("setAuthorizer" in database)) return;
  database.setAuthorizer((action, table, column, _database, within) => {
    // To count rows reads no column.
    const isTable = action === constants.SQLITE_READ && column !== "" && tables.has(table);
    return isTable && !views.has(within ?? "") ? constants.SQLITE_DENY : constants.SQLITE_OK;
  });
}
