import { Problem } from "../../../core/problem.ts";
import { StoreAway } from "../../store-away.ts";

/** The COMMIT was sent and its answer never came: the transaction may be durable or not. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super("the connection was lost while committing", { cause });
    this.name = "OutcomeUnknown";
  }
}

/** The database is known not to answer, so it was not asked. */
export class DatabaseAway extends Error {
  constructor(cause: string) {
    super(`PostgreSQL does not answer: ${cause}`);
    this.name = "DatabaseAway";
  }
}

const UNIQUE_VIOLATION = "23505";
const DISK_FULL = "53100";

/** The server is gone, stopping, out of resources, has become a replica, or refuses our login. */
const OUTAGE = /^(08...|28...|3D000|53...|57P0[1-5]|58...|25006|25P03)$/;
/** The server is stopping, or has not started yet. */
const NOT_RUNNING = /^57P0[1-5]$/;
/** A code of PostgreSQL: five characters, unlike the codes of the network. */
const SERVER_CODE = /^[0-9A-Z]{5}$/;
/** A prepared statement is missing, or no longer fits the tables. */
const NOT_PREPARED = /^(26000|42P05|0A000)$/;
/** Another transaction held the rows: deadlock, serialization, lock or statement timeout. */
const CROWDED = /^(40001|40P01|55P03|57014)$/;
const NETWORK =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST\w+|ENET\w+|ERR_STREAM\w+|ERR_SOCKET\w+)$/;
/** Errors that pg raises itself have no code. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout e|Query read timeout|Client (has encountered|was closed))/;

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? "";

/** The connection cannot be used again, and what the server did last is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return (
    OUTAGE.test(code) ||
    NETWORK.test(code) ||
    error instanceof DatabaseAway ||
    NOT_PREPARED.test(code) ||
    (error instanceof Error && CONNECTION_LOST.test(error.message))
  );
}

/** Whether an error shows that the server answers, if only to refuse. */
export function isAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return SERVER_CODE.test(code) && !NETWORK.test(code) && !isNotRunning(error);
}

export function isNotRunning(error: unknown): boolean {
  return NOT_RUNNING.test(codeOf(error));
}

/** The server sent nothing within the reply timeout. */
export function isReplyTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** The reason of an error for the log, in one line. */
export function causeOf(error: unknown): string {
  // A host name with several addresses fails with one error for each.
  const [inner] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const { message } = (inner ?? error) as Error;
  if (/\btime(out|d out)\b/i.test(message)) return "no answer in time";
  return message === "" ? codeOf(error) : message;
}

/** The prepared statements of the connection are not those it should have. */
export function isNotPrepared(error: unknown): boolean {
  return NOT_PREPARED.test(codeOf(error));
}

/** Not the fault of an act: running it alone would not help. */
export function isOutage(error: unknown): boolean {
  return error instanceof OutcomeUnknown || isConnectionLost(error) || CROWDED.test(codeOf(error));
}

/** Whether a transaction whose COMMIT was not sent is worth another try at once. */
export function isRepeatable(error: unknown, tries: number): boolean {
  const code = codeOf(error);
  // The second try reads the row that another transaction has inserted.
  if (code === UNIQUE_VIOLATION) return tries === 1;
  if (error instanceof DatabaseAway || code === "ECONNREFUSED" || code === DISK_FULL) return false;
  return isOutage(error);
}

/** The error that the caller of the store gets for an error of the database. */
export function toProblem(error: unknown): unknown {
  if (error instanceof OutcomeUnknown) {
    return new StoreAway("the store did not confirm; it may have been stored");
  }
  if (codeOf(error) === DISK_FULL) {
    return new Problem("disk-low", "the disk of the store is full; try again later", 5);
  }
  if (isConnectionLost(error)) return new StoreAway("the store is not available");
  return isOutage(error) ? new Problem("overloaded", "the store is busy; try again", 1) : error;
}

/** Awaits an answer and turns its error into the one that the caller gets. */
export async function withProblems<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toProblem(error);
  }
}
