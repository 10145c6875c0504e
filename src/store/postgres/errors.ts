import { Problem } from "../../core/problem.ts";

/** The COMMIT was sent and its answer never came: what it made true may be true or not. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super("the connection was lost while committing", { cause });
    this.name = "OutcomeUnknown";
  }
}

const UNIQUE_VIOLATION = "23505";
const DISK_FULL = "53100";

/** The server is away, going away, without room, or has become a replica. */
const OUTAGE = /^(08...|53...|57P0[1-5]|58...|25006|25P03)$/;
/** A prepared statement that is not there, or no longer fits the tables as they are now. */
const NOT_PREPARED = /^(26000|42P05|0A000)$/;
/** Somebody else held what we wanted: deadlock, serialization, lock or statement timeout. */
const CROWDED = /^(40001|40P01|55P03|57014)$/;
const NETWORK =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST\w+|ENET\w+|ERR_STREAM\w+|ERR_SOCKET\w+)$/;
/** Errors that pg makes itself have no code. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (has encountered|was closed))/;

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? "";

/** The connection cannot be used again, and nobody knows what the server still did with it. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return (
    OUTAGE.test(code) ||
    NETWORK.test(code) ||
    NOT_PREPARED.test(code) ||
    (error instanceof Error && CONNECTION_LOST.test(error.message))
  );
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
  return code !== "ECONNREFUSED" && code !== DISK_FULL && isOutage(error);
}

/** What an error of the database means to whoever asked. */
export function understood(error: unknown): unknown {
  if (error instanceof OutcomeUnknown) {
    return new Problem("overloaded", "the store did not confirm; it may have been stored", 1);
  }
  if (codeOf(error) === DISK_FULL) {
    return new Problem("disk-low", "the disk of the store is full; try again later", 5);
  }
  return isOutage(error) ? new Problem("overloaded", "the store is not available", 1) : error;
}

/** The answer, or what its failure means to whoever asked. */
export async function heard<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw understood(error);
  }
}
