import type { AttemptRecord } from "../../core/model/message/attempt.ts";
import type { LogEntry, LogState } from "../../core/model/message/log-entry.ts";
import type { Row } from "./rows.ts";

/**
 * What one act wrote to the log of a message, stored as one row: an entry, the one that follows
 * from it, and the attempt they describe. A row takes two numbers, so that each entry has its own.
 */
export interface LogStep {
  readonly entry: LogEntry;
  next: LogEntry | null;
  readonly attempt: AttemptRecord | null;
  /** The host that was called, and the node that did; null without an attempt. */
  readonly host: string | null;
  readonly nodeId: string | null;
}

export const NUMBERS_PER_STEP = 2;

/** The columns of entries; those of the attempt are read separately. */
export const ENTRY_COLUMNS = `e.account_id, e.number, e.message_id, e.at, e.state, e.next_state,
  e.attempt, e.status, e.error, e.next_at`;

export interface NumberedEntry {
  readonly number: number;
  readonly entry: LogEntry;
}

/** Adds an entry, to the previous entry's row when it follows from that. */
export function addToLog(steps: LogStep[], entry: LogEntry, made: MadeAttempt | null): void {
  const last = steps.at(-1);
  if (last !== undefined && made === null && follows(last, entry)) last.next = entry;
  else steps.push({ entry, next: null, ...(made ?? NO_ATTEMPT) });
}

/** An attempt, and where and by which node it was made. */
export type MadeAttempt = Pick<LogStep, "attempt" | "host" | "nodeId">;

export const NO_ATTEMPT: MadeAttempt = { attempt: null, host: null, nodeId: null };

function follows({ entry, next }: LogStep, later: LogEntry): boolean {
  return (
    next === null &&
    entry.messageId === later.messageId &&
    entry.accountId === later.accountId &&
    entry.at === later.at &&
    FOLLOWERS[entry.state]?.includes(later.state) === true
  );
}

/** The entries of a row, in the order in which they were written. */
export function toLogEntries(row: Row): NumberedEntry[] {
  const number = row["number"] as number;
  const next = row["next_state"] as LogState | null;
  const first = { number, entry: toEntry(row, row["state"] as LogState) };
  return next === null ? [first] : [first, { number: number + 1, entry: toEntry(row, next) }];
}

/** The entries of a row that a list has not shown yet, in the order of the list. */
export function entriesInOrder(
  row: Row,
  { after, order }: { readonly after: string | null; readonly order: string },
): NumberedEntry[] {
  const start = after === null ? null : Number(after);
  const entries = toLogEntries(row);
  return order === "latestFirst"
    ? entries.filter(({ number }) => start === null || number < start).toReversed()
    : entries.filter(({ number }) => start === null || number > start);
}

/** The attempt whose end a row describes. */
export function toAttemptRecord(row: Row): AttemptRecord {
  return {
    accountId: row["account_id"] as string,
    messageId: row["message_id"] as string,
    number: row["attempt"] as number,
    startedAt: row["started_at"] as number,
    endedAt: row["ended_at"] as number,
    status: row["status"] as number,
    error: (row["error"] as string | null) ?? undefined,
    headers: row["headers"] as string,
    body: row["body"] as Uint8Array,
    nodeId: (row["node_id"] as string | null) ?? undefined,
  };
}

function toEntry(row: Row, state: LogState): LogEntry {
  const tellsEnd = tellsOfAnswer(state) || state === "FAILED";
  return {
    accountId: row["account_id"] as string,
    messageId: row["message_id"] as string,
    at: row["at"] as number,
    state,
    attempt: BEFORE_ATTEMPTS.has(state) ? undefined : orNothing(row["attempt"] as number | null),
    status: tellsEnd ? orNothing(row["status"] as number | null) : undefined,
    error: tellsEnd ? orNothing(row["error"] as string | null) : undefined,
    nextAt: state === "RETRY" ? orNothing(row["next_at"] as number | null) : undefined,
  };
}

/** Whether an entry of this state is shown with the response of its attempt. */
export function tellsOfAnswer(state: LogState): boolean {
  return state === "ERROR" || state === "DELIVERED";
}

function orNothing<T>(value: T | null): T | undefined {
  return value ?? undefined;
}

const FOLLOWERS: Partial<Readonly<Record<LogState, readonly LogState[]>>> = {
  CREATED: ["ACTIVE"],
  ERROR: ["RETRY", "FAILED", "CANCELED"],
  CANCEL_REQUESTED: ["CANCELED"],
};
/** States whose entries describe no attempt, though their row may. */
const BEFORE_ATTEMPTS: ReadonlySet<LogState> = new Set(["CREATED", "CANCEL_REQUESTED"]);
