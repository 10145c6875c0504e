/** `postrider query`: a select over the views of the history. It reads only, for a limited time. */
import type { Settings } from "../../config/settings.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import { systemClock } from "../../platform/clock.ts";
import { databasePath } from "../../service.ts";
import { connectionConfig } from "../../store/postgres/driver/connection-config.ts";
import { toOpenError } from "../../store/postgres/driver/errors.ts";
import { HISTORY_VIEWS } from "../../store/records/history-views.ts";
import { CommandError } from "../command-error.ts";
import type { Flags, StoreHandlers } from "../flags.ts";
import { readGiven } from "../given-file.ts";
import { requireDatabase } from "../own-data.ts";
import { jsonText, note, plain, tableText } from "../terminal/output.ts";
import type { QueryAnswer, QueryRows } from "./query-sqlite.ts";
import { askSqlite } from "./sqlite-process.ts";

export const HANDLERS: StoreHandlers = { query };

async function query(settings: Settings, given: string, flags: Flags): Promise<void> {
  const rowsMax = flags.number("rows") ?? ROWS_MAX;
  const timeoutMs = timeLimit(flags.text("timeout") ?? "10s");
  // One more than is shown tells that there are more. Only a select can be a part of a select.
  const limit = rowsMax === 0 ? "" : ` LIMIT ${rowsMax + 1}`;
  const text = `SELECT * FROM (\n${textOf(given, flags)}\n) AS query${limit}`;
  const { columns, rows } = await (settings.databaseUrl === undefined
    ? querySqlite(requireDatabase(databasePath(settings)), text, timeoutMs)
    : queryPostgres(settings, text, timeoutMs));
  const isCut = rowsMax > 0 && rows.length > rowsMax;
  process.stdout.write(written(columns, isCut ? rows.slice(0, rowsMax) : rows, flags));
  if (isCut)
    note(`only the first ${rowsMax} rows are shown; --rows changes that, 0 is all of them`);
}

function timeLimit(text: string): number {
  const ms = /^\d+[smh]?$/.test(text) ? parseDuration(text) : 0;
  if (ms === 0) throw new CommandError(`--timeout must be a time such as 30s, but is ${text}`);
  return ms;
}

function textOf(given: string, flags: Flags): string {
  const file = flags.text("file");
  if ((given === "") === (file === undefined)) {
    throw new CommandError("give a query, or a file with one by --file");
  }
  const text = file === undefined ? given : readGiven(file).toString();
  return text.trim().replace(/;$/, "");
}

async function querySqlite(path: string, text: string, timeoutMs: number): Promise<QueryRows> {
  const asked = askSqlite<QueryAnswer>("query-sqlite", { path, text });
  let isLate = false;
  const cancel = systemClock.after(timeoutMs, () => {
    isLate = true;
    asked.kill();
  });
  const answer = await asked.answer;
  cancel();
  if (isLate) throw tookTooLong(timeoutMs);
  if (answer === null) throw new CommandError("the query ended without an answer");
  if ("error" in answer) throw refused(answer.error);
  return answer;
}

async function queryPostgres(
  { databaseUrl, databaseSchema }: Settings,
  text: string,
  timeoutMs: number,
): Promise<QueryRows> {
  const { Client, escapeIdentifier, types } = await import("pg");
  const client = new Client({ ...connectionConfig(databaseUrl!), connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  await client.connect().catch((error: unknown) => {
    throw toOpenError(error, databaseUrl!);
  });
  try {
    await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${timeoutMs};
      SET LOCAL search_path = ${escapeIdentifier(databaseSchema)}`);
    const getTypeParser = ((oid: number, format?: "text") =>
      NUMBERS.includes(oid) ? Number : types.getTypeParser(oid, format)) as never;
    // By its name it is prepared, and a prepared text is one statement.
    const named = { name: "query", text, rowMode: "array" as const, types: { getTypeParser } };
    const { fields, rows } = await client.query<unknown[]>(named);
    return { columns: fields.map(({ name }) => name), rows };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw code === CANCELED ? tookTooLong(timeoutMs) : refused(message);
  } finally {
    await client.end();
  }
}

function tookTooLong(timeoutMs: number): CommandError {
  const sentence = `the query took longer than ${timeoutMs / 1_000} s and was ended`;
  return new CommandError(sentence, 1, "narrow it, or give more time with --timeout");
}

function refused(error: string): CommandError {
  const isMissing = /no such table: history_|relation "history_.* does not exist/.test(error);
  const isSpelled = HISTORY_VIEWS.some(({ name }) => error.includes(name));
  const hint =
    isMissing && isSpelled
      ? "start the server once, or run postrider migrate: it creates the views"
      : `it reads ${HISTORY_VIEWS.map(({ name }) => name).join(", ")}`;
  return new CommandError(error, 1, hint);
}

function written(columns: readonly string[], rows: QueryRows["rows"], flags: Flags): string {
  if (flags.is("json")) {
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map((name, at) => [name, row[at]])),
    );
    return objects.map((object) => `${jsonText(object)}\n`).join("");
  }
  if (flags.is("csv")) {
    return [columns, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
  }
  return tableText([[...columns], ...rows.map((row) => row.map(plain))]);
}

function cellOf(value: unknown): string {
  const text = typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const ROWS_MAX = 1_000;
/** Of PostgreSQL: bigint and numeric. */
const NUMBERS = [20, 1700];
/** The code of a statement that its time limit has ended. */
const CANCELED = "57014";
