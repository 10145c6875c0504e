import { Problem } from "../../../core/problem.ts";
import { StoreAway } from "../../store-away.ts";

/** The COMMIT was sent and its answer never came: what it made true may be true or not. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super("the connection was lost while committing", { cause });
    this.name = "OutcomeUnknown";
  }
}

/** The database is known to be silent or gone, so that it was not asked. */
export class DatabaseAway extends Error {
  constructor(cause: string) {
    super(`PostgreSQL does not answer: ${cause}`);
    this.name = "DatabaseAway";
  }
}

const UNIQUE_VIOLATION = "23505";
const DISK_FULL = "53100";

/** The server is away, going away, without room, has become a replica, or no longer lets us in. */
const OUTAGE = /^(08...|28...|3D000|53...|57P0[1-5]|58...|25006|25P03)$/;
/** The server stops, or has not started yet. */
const NOT_RUNNING = /^57P0[1-5]$/;
/** What a server says: five characters, unlike the codes of the network. */
const SERVER_CODE = /^[0-9A-Z]{5}$/;
/** A prepared statement that is not there, or no longer fits the tables as they are now. */
const NOT_PREPARED = /^(26000|42P05|0A000)$/;
/** Somebody else held what we wanted: deadlock, serialization, lock or statement timeout. */
const CROWDED = /^(40001|40P01|55P03|57014)$/;
const NETWORK =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST\w+|ENET\w+|ERR_STREAM\w+|ERR_SOCKET\w+)$/;
/** Errors that pg makes itself have no code. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout e|Query read timeout|Client (has encountered|was closed))/;

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? "";

/** The connection cannot be used again, and nobody knows what the server still did with it. */
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

/** Whether an error shows that the server is there and answers, if only to refuse. */
export function isAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return SERVER_CODE.test(code) && !NETWORK.test(code) && !isNotRunning(error);
}

export function isNotRunning(error: unknown): boolean {
  return NOT_RUNNING.test(codeOf(error));
}

/** Nothing came from the server for as long as it may take. */
export function isReplyTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** What to tell the log of an error, in one line. */
export function causeOf(error: unknown): string {
  // Where a name has several addresses, the error of each is inside.
  const [inner] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const { message } = (inner ?? error) as Error;
  if (/\btime(out|d out)\b/i.test(message)) return "no answer in time";
  return message === "" ? codeOf(error) : message;
}

/** The statements that a connection holds are not those it should. */
export function isNotPrepared(error: unknown): boolean {
  return NOT_PREPARED.test(codeOf(error));
}

/** Not the act's fault: repeating it alone would not help. */
export function isOutage(error: unknown): boolean {
  return error instanceof OutcomeUnknown || isConnectionLost(error) || CROWDED.test(codeOf(error));
}

/** Whether a transaction whose COMMIT was not sent is worth another try at once. */
export function isRepeatable(error: unknown, tries: number): boolean {
  const code = codeOf(error);
  // Whoever else added the row is seen by the rule when it is asked again.
  if (code === UNIQUE_VIOLATION) return tries === 1;
  if (error instanceof DatabaseAway || code === "ECONNREFUSED" || code === DISK_FULL) return false;
  return isOutage(error);
}

/** What an error of the database means to whoever asked. */
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

/** The answer, or what its failure means to whoever asked. */
export async function withProblems<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toProblem(error);
  }
}
